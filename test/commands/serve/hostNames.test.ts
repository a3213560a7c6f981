/** Hosts whose names lead to one path: every printed URL gives the files of its own host, or both hosts are refused. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { place, type Running } from './support.ts';

const { run, serve, write } = place();

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0';

/** Writes an inventory of these names, each with an SSH key that holds it. */
const list = (hosts: readonly { readonly name: string; readonly mac?: string | undefined }[]): void =>
  write(
    'names.yaml',
    `agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: ${JSON.stringify(
      hosts.map((host) => ({ ...host, overrides: { 'host.sshKeys': [`${key} of-${host.name}`] } })),
    )}\n`, // JSON is YAML
  );

/** The name that is in the SSH key of a config. */
const nameIn = (text: string): string => / of-(\S+?)"/.exec(text)?.[1] ?? '';

const textOf = async (url = ''): Promise<string> => (await fetch(url)).text();

async function nameAt(artifact: string, url = ''): Promise<string> {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  if (artifact === 'ign') return nameIn(bytes.toString());
  write('served.iso', bytes);
  return nameIn((await run('iso', 'ignition', 'show', 'served.iso')).stdout);
}

async function checkUrls({ urls }: Running): Promise<void> {
  for (const [host, artifacts] of Object.entries(urls)) {
    for (const artifact of ['ign', 'iso', 'minimal-iso']) {
      expect([host, artifact, await nameAt(artifact, artifacts[artifact] ?? '')]).toEqual([
        host,
        artifact,
        host,
      ]);
    }
  }
}

const mac = '52:54:00:00:00:01';
const names = ['a', 'a-minimal', 'A', 'b.example', 'discovery', 'discovery-minimal', 'mac-52-54-00-00-00-01'];

describe('names that are alike', () => {
  it('each lead to their own host, or are refused with both', async () => {
    const hosts = fc.uniqueArray(fc.constantFrom(...names), { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(hosts, fc.boolean(), async (chosen, open) => {
        list(chosen.map((name) => ({ name, mac: name === 'b.example' ? mac : undefined })));
        const options = { inventory: 'names.yaml', discovery: true, open };
        const running = await serve(options).catch((error: unknown) => {
          if (!(error instanceof CliError)) throw error;
          return error.message;
        });
        if (typeof running !== 'string') return checkUrls(running);
        const [, one = '', other = ''] = /^(\S+) and (\S+|the machines .*) would have/.exec(running) ?? [];
        expect([...chosen, 'the machines that are not listed']).toEqual(expect.arrayContaining([one, other]));
        // Behind tokens, only boot scripts can be those of another host.
        expect(open || running.endsWith('ipxe/mac-52-54-00-00-00-01.ipxe')).toBe(true);
      }),
      {
        numRuns: 12,
        examples: [
          [['a', 'a-minimal'], false],
          [['a', 'a-minimal'], true],
          [['discovery', 'b.example'], false],
        ],
      },
    );
  });

  it('are served as long as no artifact of one ends like another of the other', async () => {
    list([{ name: 'a' }, { name: 'a-minimal' }]);
    const { urls } = await serve({ inventory: 'names.yaml', open: true, artifacts: 'iso,ign' });
    expect(await nameAt('iso', urls['a-minimal']?.['iso'])).toBe('a-minimal');
  });

  it('are no obstacle with --once', async () => {
    list([{ name: 'a' }, { name: 'a-minimal' }]);
    const { urls } = await serve({ inventory: 'names.yaml', open: true, once: 'a' });
    expect(await nameAt('minimal-iso', urls['a']?.['minimal-iso'])).toBe('a');
  });

  it('are told to an operator who asks for a path of both', async () => {
    list([{ name: 'a' }, { name: 'a-minimal' }]);
    const { asOperator } = await serve({ inventory: 'names.yaml' });
    const answer = await asOperator('/a-minimal.iso');
    expect([answer.status, await answer.text()]).toEqual([
      409,
      '409: several hosts have a file named a-minimal.iso\nhint: use the URL of the host from the list at /\n',
    ]);
    expect((await asOperator('/a-minimal-minimal.iso')).status).toBe(200);
  });

  it('give machines that are not listed their own files beside a host of that name', async () => {
    list([{ name: 'discovery', mac }]);
    const { boot, urls } = await serve({ inventory: 'names.yaml', discovery: true });
    const script = await textOf(new URL('inspector.ipxe', boot['ipxe']).href);
    const [archive = ''] = script.match(/http:\/\/\S+discovery\.img/) ?? [];
    const archives = [await textOf(archive), await textOf(urls['discovery']?.['archive'])];
    expect(new Set([...archives, '']).size).toBe(3);
    expect(await nameAt('ign', new URL('discovery.ign', boot['ipxe']).href)).toBe('');
  });
});

describe('prepare', () => {
  it('writes nothing where a host is called like the script of another', async () => {
    list([{ name: 'b', mac }, { name: 'mac-52-54-00-00-00-01' }]);
    const args = ['--artifacts', 'ign,archive,ipxe', '--base-url', 'http://192.0.2.1', '--iso', 'live.iso'];
    const { code, stderr } = await run('prepare', '--inventory', 'names.yaml', '-o', 'boot', ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'b and mac-52-54-00-00-00-01 would have the same path: ipxe/mac-52-54-00-00-00-01.ipxe',
    );
    list([{ name: 'mac-52-54-00-00-00-01', mac }]);
    const own = await run('prepare', '--inventory', 'names.yaml', '-o', 'boot', ...args);
    expect([own.code, own.stderr]).toEqual([0, expect.stringContaining(': 1 host prepared in hosts/, ')]);
  });
});
