/**
 * Everything that prints text of other programs, which quote what they were sent: none of them prints a secret, in the
 * encodings that they use.
 */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../src/kube/kubernetesClient.ts';
import { secrets } from '../src/kube/objects.ts';
import { CliError } from '../src/core/errors.ts';
import { runNmstatectl } from '../src/hosts/input/nmstatectl.ts';
import { createAccessCheck } from '../src/http/server/accessCheck.ts';
import { runMachine } from '../src/trial/emulation/emulatedTrial.ts';
import { startBoot } from './commands/boot/startBoot.ts';
import { writeAgentIso } from './support/agentIso.ts';
import { encodingsOf, hardLogin } from './support/encodedSecrets.ts';
import { json, startFakeApiServer, TOKEN } from './support/fakeApiServer.ts';
import { bmcUser, type FakeBmcOptions, refuseWith, startFakeBmc } from './support/fakeBmc.ts';
import { runCli } from './support/runCli.ts';
import { listenLocally } from './support/listening.ts';

const folder = mkdtempSync(join(tmpdir(), 'secrets in outputs '));
await writeAgentIso(folder, 'live.iso', 'http://192.0.2.1:6385');
writeFileSync(join(folder, 'bmc.yaml'), JSON.stringify(bmcUser), { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that says this text on standard error, and fails. */
function failingProgram(text: string): string {
  writeFileSync(join(folder, 'said.txt'), text);
  const program = join(folder, 'program');
  writeFileSync(program, `#!/bin/sh\ncat '${join(folder, 'said.txt')}' >&2\nexit 1\n`);
  chmodSync(program, 0o755);
  return program;
}

async function bootWith(fake: FakeBmcOptions, options: object = {}): Promise<string> {
  const bmc = await startFakeBmc({ ...fake, onBoot: () => undefined });
  const given = { bmc: bmc.origin, credentials: 'bmc.yaml', iso: ['live.iso'], timeout: '2s', ...options };
  const { ended, said } = startBoot([], given, { cwd: folder });
  const { error, report } = await ended;
  await bmc.close();
  return [said(), report, error?.message].join('\n');
}

async function messageOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown);
  return error instanceof CliError ? `${error.message} ${error.hint}` : String(error);
}

interface Output {
  readonly secret: string;
  readonly username?: string;
  /** What is printed if the other program says this. */
  readonly print: (said: string) => Promise<string>;
}

const loginUrl = (place: string): string =>
  `http://${encodeURIComponent(hardLogin.username)}:${encodeURIComponent(hardLogin.password)}@${place}`;

/** The folder of an image URL is known only after the image is served. */
const outputs: Readonly<Record<string, Output>> = {
  'boot: the message of a refusal': {
    secret: bmcUser.password,
    username: bmcUser.username,
    print: async (text) =>
      bootWith({
        fault: ({ path }) =>
          path.endsWith('InsertMedia') ? refuseWith({ status: 400, id: 'Base.1.8.X', text }) : undefined,
      }),
  },
  'boot --check: the properties of a BMC': {
    secret: bmcUser.password,
    username: bmcUser.username,
    print: async (Model) =>
      bootWith(
        {
          fault: ({ path }) =>
            path.endsWith('/Managers/iDRAC.Embedded.1')
              ? (response) => void response.end(JSON.stringify({ Model, FirmwareVersion: Model }))
              : undefined,
        },
        { check: true },
      ),
  },
  'boot --check --format json': {
    secret: bmcUser.password,
    username: bmcUser.username,
    print: async (Model) => {
      const fault: FakeBmcOptions['fault'] = ({ path }) =>
        path.endsWith('/Managers/iDRAC.Embedded.1')
          ? (response) => void response.end(JSON.stringify({ Model, FirmwareVersion: Model }))
          : undefined;
      const text = await bootWith({ fault }, { check: true, format: 'json' });
      return text.replaceAll(String.raw`\\`, '\\').replaceAll(String.raw`\"`, '"');
    },
  },
  'controller: a refusal of the API server': {
    secret: TOKEN,
    print: async (message) => {
      const server = await startFakeApiServer();
      const client = new ApiClient(server.config, {});
      server.answers.push(json({ kind: 'Status', message, reason: message }, 403));
      const error = await messageOf(client.get(secrets, { namespace: 'metal3', name: 'net' }));
      await client.close();
      await server.close();
      return error;
    },
  },
  'prepare, render: nmstatectl': {
    secret: hardLogin.password,
    username: hardLogin.username,
    print: async (text) => {
      const state = { interfaces: [{ '802.1x': { 'private-key-password': hardLogin.password } }] };
      return messageOf(runNmstatectl(JSON.stringify(state), failingProgram(text), process.env));
    },
  },
  'try: QEMU': {
    secret: hardLogin.password,
    username: hardLogin.username,
    print: async (text) => {
      const args = ['-drive', `file=${loginUrl('192.0.2.1/a.iso')},media=cdrom`];
      let printed = '';
      const machine = await runMachine({
        command: [failingProgram(text), ...args],
        env: process.env,
        onOutput: () => undefined,
        observe: (_state, problem = '') => void (printed += problem),
      });
      await machine.ended;
      return printed;
    },
  },
  'inspect: a config at a URL': {
    secret: hardLogin.password,
    username: hardLogin.username,
    print: async (text) => {
      const config = {
        ignition: { version: '3.4.0' },
        storage: { files: [{ path: `/${text}`, contents: { source: 'data:,' } }] },
      };
      const server = createServer((_, response) => void response.end(JSON.stringify(config)));
      const port = await listenLocally(server);
      const { stderr, stdout } = await runCli(['--verbose', 'inspect', loginUrl(`127.0.0.1:${port}/a.ign`)]);
      server.close();
      return `${stdout}${stderr}`;
    },
  },
  'serve: the user agent and the path in the log': {
    secret: 'operators/token+0123456789',
    print: async (text) =>
      createAccessCheck({ signer: undefined, tokens: ['operators/token+0123456789'], isOpen: false }).mask(
        text,
      ),
  },
};

describe.each(Object.entries(outputs))('%s', (_, { print, secret, username }) => {
  it.each(Object.entries(encodingsOf(secret, username)))('%s', async (_name, encoded) => {
    const printed = await print(`said <${encoded}> end`);
    expect(printed).toMatch(/said <\((?:secret|token)\)> ?end/);
    expect(printed).not.toContain(encoded);
  });
});

describe('boot: the token of an image URL', () => {
  it.each<[string, (url: URL) => string]>([
    ['a URL', ({ href }) => href],
    ['a URL without its scheme', ({ host, pathname }) => `${host}${pathname}`],
    ['a path', ({ pathname }) => pathname],
    ['an encoded path', ({ pathname }) => encodeURIComponent(pathname)],
    ['base64', ({ href }) => Buffer.from(`x${href}`).toString('base64')],
  ])('is masked in %s', async (_, quote) => {
    let token = '';
    const printed = await bootWith({
      fault: ({ body, path }) => {
        if (!path.endsWith('InsertMedia')) return undefined;
        const url = new URL(String(body['Image']));
        token = url.pathname.split('/').find((part) => part.length > 16) ?? '';
        return refuseWith({ status: 400, id: 'Base.1.8.X', text: `cannot open ${quote(url)} now` });
      },
    });
    expect(token).not.toBe('');
    expect(printed).toMatch(/cannot open .{0,60} now/s);
    expect(printed).not.toContain(token);
    expect(printed).not.toContain(Buffer.from(token).toString('base64').slice(4, 20));
  });
});
