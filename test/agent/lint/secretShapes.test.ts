/** No output of `validate` shows a part of a secret, whatever characters it has: text, JSON and GitHub annotations. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

/** Words that nothing else in the outputs contains, and what may be between them in a secret. */
const word = fc.stringMatching(/^[QXZ]{6,10}$/);
const separator = fc.constantFrom(
  '"',
  "'",
  '\\',
  ' ',
  '%',
  '%%',
  '$',
  '$$',
  ':',
  '@',
  '/',
  '#',
  ',',
  '=',
  ';',
  '&',
  '?',
  '!',
  '*',
  '{',
  ']',
  '\t',
  'é',
  '😀',
  '\u2028',
  '\\"',
  "'\\''",
  '--',
  '<',
  '|',
  '-----',
  '\u0001',
);

interface Secret {
  readonly text: string;
  readonly words: readonly string[];
}

const secrets: fc.Arbitrary<Secret> = fc
  .tuple(word, fc.array(fc.tuple(separator, word), { maxLength: 3 }))
  .map(([first, rest]) => ({
    text: first + rest.map(([between, next]) => between + next).join(''),
    words: [first, ...rest.map(([, next]) => next)],
  }));

/** Quoted for a unit: systemd.syntax(7). */
const unitQuoted = (text: string): string =>
  `"${text
    .replaceAll(/[\\"]/g, String.raw`\$&`)
    .replaceAll('%', '%%')
    .replaceAll(/[^ -~]/gu, (char) =>
      [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    )}"`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const data = (text: string): string => `data:;base64,${base64(text)}`;
const unit = (lines: string): object => ({
  systemd: {
    units: [
      { name: 'ironic-agent.service', contents: `[Service]\n${lines}\nUser=root\n[Instal]\n`, enabled: true },
    ],
  },
});
const file = (path: string, content: string, rest: object = {}): object => ({
  storage: { files: [{ path, contents: { source: data(content), compresion: 'x' }, mode: 420, ...rest }] },
});

/** Places of a secret, each beside a mistake. */
const PLACES: Readonly<Record<string, (text: string) => object>> = {
  'a password hash': (text) => ({ passwd: { users: [{ name: 'core', passwordHash: text, uidd: 1 }] } }),
  'a variable of a unit': (text) =>
    unit(`Environment=${unitQuoted(`IPA_PASSWORD=${text}`)}\nExecStart=/bin/podman run --rm --nam x image`),
  'a variable of podman': (text) =>
    unit(`ExecStart=/bin/podman run --env ${unitQuoted(`OS_PASSWORD=${text}`)} --nam x image`),
  'the login of curl': (text) =>
    unit(
      `ExecStart=/usr/bin/curl -u ops:${encodeURIComponent(text).replaceAll(/['%]/g, '')} --nam x http://host/`,
    ),
  'a token for curl': (text) =>
    unit(
      `ExecStart=/usr/bin/curl -H "Authorization: Bearer ${encodeURIComponent(text).replaceAll(/['%]/g, '')}" http://host/`,
    ),
  'a slash in the password of a proxy': (text) =>
    unit(
      `Environment=HTTPS_PROXY=http://user:x/${encodeURIComponent(text).replaceAll(/['%]/g, '')}@proxy:3128`,
    ),
  'the login of podman': (text) =>
    unit(`ExecStart=/bin/podman pull --creds ${unitQuoted(`user:${text}`)} --nam x image`),
  'the password of podman login': (text) =>
    unit(`ExecStart=/bin/podman login -u user -p ${unitQuoted(text)} quay.io\nTyp=x`),
  'a registry': (text) =>
    file(
      '/etc/containers/registries.conf',
      `unqualified-search-registries = [${JSON.stringify(`user:${text}@host`)}]\n[[registry]]\nlocation = ${JSON.stringify(`http://user:${text}@host`)}\n`,
    ),
  'a proxy of a unit': (text) =>
    unit(
      `Environment=${unitQuoted(`HTTPS_PROXY=http://user:${encodeURIComponent(text)}@proxy:3128`)}\nRestart=alwys`,
    ),
  'a proxy': (text) => ({
    ignition: { proxy: { httpProxy: `socks://user:${encodeURIComponent(text)}@proxy/`, noProxi: [] } },
  }),
  'a proxy with blanks': (text) => ({
    ignition: {
      proxy: { httpProxy: `socks://user:${text.replaceAll(/[/?#"@]/g, ' ')}@proxy/`, noProxi: [] },
    },
  }),
  'a URL': (text) => ({
    storage: {
      files: [
        {
          path: 'etc/a',
          contents: {
            source: `https://user:${encodeURIComponent(text)}@host/a?token=${encodeURIComponent(text)}`,
            hash: 1,
          },
        },
      ],
    },
  }),
  'a header': (text) => ({
    storage: {
      files: [
        {
          path: 'etc/a',
          contents: {
            source: 'https://host/',
            httpHeaders: [{ name: 'Authorization', value: `Bearer ${text}` }],
          },
        },
      ],
    },
  }),
  'the conf': (text) =>
    file(
      '/etc/ironic-python-agent.conf',
      `[DEFAULT]\napi_url = https://192.0.2.1\nagent_token = ${text.replaceAll(/\p{Cc}|\u2028/gu, '')}\nlisten_prt = 1\n`,
    ),
  'a pull secret': (text) =>
    file(
      '/etc/authfile.json',
      JSON.stringify({ auths: { 'quay.io': { auth: base64(`user:${text}`), pasword: text } } }),
    ),
  'a pull secret that is not JSON': (text) =>
    file('/root/.docker/config.json', `{"auths": {"quay.io": "${text}"`),
  'a private key': (text) =>
    file('/root/.ssh/id_rsa', `-----BEGIN PRIVATE KEY-----\n${base64(text)}\n`, { mode: 999 }),
  'a keyfile': (text) =>
    file(
      '/etc/NetworkManager/system-connections/a.nmconnection',
      `[connection]\nid=a\n[wifi-security]\npsk=${text.replaceAll(/\p{Cc}|\u2028/gu, '')}\n`,
    ),
  'an encryption key': (text) => ({
    storage: { luks: [{ name: 'a/', device: 'b', keyFile: { source: data(text) } }] },
  }),
  'a kernel argument': (text) => ({
    kernelArguments: { shouldExist: [`rootpwd=${text}`, `ipa-agent-token=${text}`] },
  }),
};

const draft = fc.record({
  place: fc.constantFrom(...Object.keys(PLACES)),
  secret: secrets,
  indent: fc.constantFrom(0, 2),
  isEscaped: fc.boolean(),
});

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'secret shapes '));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** What may not occur: the words, and their base64 at each offset, without the ends that depend on their neighbors. */
function traces({ words }: Secret): readonly string[] {
  return words.flatMap((text) => [
    text,
    ...[0, 1, 2]
      .map((offset) => base64('x'.repeat(offset) + text).slice(offset === 0 ? 0 : 4, -4))
      .filter((part) => part.length >= 4),
  ]);
}

it('no form of a report shows a part of a secret', async () => {
  let reports = 0;
  await fc.assert(
    fc.asyncProperty(draft, async ({ place, secret, indent, isEscaped }) => {
      const config = { ignition: { version: '3.4.0' }, ...PLACES[place]?.(secret.text) };
      const json = JSON.stringify(config, undefined, indent);
      const text = isEscaped
        ? json.replaceAll(/[QXZ]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
        : json;
      writeFileSync(join(cwd, 'a.ign'), text);
      for (const form of ['text', 'json', 'github']) {
        const { code, stdout, stderr } = await runCli(
          ['validate', '--lint', 'agent', '--format', form, 'a.ign'],
          { cwd },
        );
        if (code === 1) reports += 1;
        const shown = `${stdout}\n${stderr}`;
        const escapes = shown.replaceAll(/\\+u00([0-9a-f]{2})/g, (_all, hex: string) =>
          String.fromCharCode(parseInt(hex, 16)),
        );
        const found = traces(secret).filter((trace) => escapes.includes(trace));
        expect({ place, found, shown: found.length > 0 && shown }).toEqual({
          place,
          found: [],
          shown: false,
        });
      }
    }),
    { numRuns: Number(process.env['SECRET_RUNS'] ?? 150) },
  );
  expect(reports).toBeGreaterThan(100);
});
