/** No frame and no message shows a secret, and frames show everything else: for random configs, confs and YAML. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskConfSecrets, maskSecrets } from '../../../src/agent/lint/secrets.ts';
import { checkConfig } from '../../../src/hosts/input/checkConfig.ts';
import { formatTextReport } from '../../support/textReport.ts';
import { checkDocument } from '../../../src/commands/validate/validate.ts';
import { readConfig } from '../../../src/ignition/validate.ts';

/** Letters that nothing else here has, so that a secret is not found by chance. */
const secrets = fc.stringMatching(/^[QXZ]{8,24}$/);
const names = fc.stringMatching(/^[a-p]{1,8}$/);
const stars = (text: string): string => '*'.repeat(text.length);

/** A part of a config, with a secret in it that `hide` may have hidden. */
type Part = (secret: string, hide: (text: string) => string, name: string) => object;

const dataUrl = (secret: string): string => `data:;base64,${Buffer.from(secret).toString('base64')}`;
const fileWith = (file: object): object => ({ storage: { files: [file] } });
/** Its line breaks are escapes, so it is masked as a whole. */
const unitWith = (text: string, hide: (text: string) => string): object => {
  const contents = `[Service]\n${text}\nUser=root\n`;
  const isHidden = hide('a') !== 'a';
  const shownContents = isHidden ? hide(JSON.stringify(contents).slice(1, -1)) : contents;
  return { systemd: { units: [{ name: 'a.service', contents: shownContents, enabled: true }] } };
};

const parts: readonly Part[] = [
  (secret, hide, name) => ({ passwd: { users: [{ name, passwordHash: hide(secret), uidd: 1 }] } }),
  (_secret, _hide, name) => ({
    passwd: { users: [{ nmae: name, groups: ['wheel'] }], groups: [{ naem: name }] },
  }),
  (secret, hide, name) => ({ passwd: { groups: [{ naem: name, passwordHash: hide(secret) }] } }),
  (secret, hide, name) => ({ passwd: { users: [{ name, paswordHash: hide(secret) }] } }),
  (secret, hide, name) => ({
    passwd: { users: [{ name, PasswordHash: hide(secret), password: hide(secret) }] },
  }),
  (secret, hide, name) => fileWith({ path: name, mode: 0o600, contents: { source: hide(dataUrl(secret)) } }),
  (secret, hide, name) =>
    fileWith({ path: name, mode: 0o600, contents: { source: `data:;bse64,${hide(secret)}` } }),
  (secret, hide, name) =>
    fileWith({
      path: name,
      mode: 0o600,
      contents: { source: `ftp://u:${secret}@${name}/`.replace(`u:${secret}`, hide(`u:${secret}`)) },
    }),
  (_secret, _hide, name) => fileWith({ path: name, mode: 0o600, contents: { suorce: `https://${name}/` } }),
  (_secret, _hide, name) =>
    fileWith({ path: name, mode: 0o644, contents: { source: 'data:,x', compresion: 'gzip' } }),
  (secret, hide, name) =>
    fileWith({
      path: name,
      contents: {
        source: `https://${name}/?token=${hide(secret)}`,
        httpHeaders: [{ name: 'Authorization', value: hide(`Bearer ${secret}`) }, { nmae: name }],
      },
    }),
  (_secret, _hide, name) =>
    fileWith({
      path: name,
      contents: { source: `https://${name}/`, httpHeaders: [{ name: 'Accept', value: name, valeu: 1 }] },
    }),
  (secret, hide, name) => ({
    storage: { luks: [{ name: `${name}/`, keyFile: { source: hide(dataUrl(secret)) } }] },
  }),
  (_secret, _hide, name) => ({
    storage: { luks: [{ name: `${name}/`, device: name, keyFile: { verification: {} } }] },
  }),
  (secret, hide) => ({ ignition: { proxy: { httpProxy: `socks://${hide(`u:${secret}`)}@h/p` } } }),
  (secret, hide) => unitWith(`Environment="IPA_PASSWORD=${secret}" "A=b"\n[`, hide),
  (secret, hide) => unitWith(`ExecStart=/bin/podman run --creds u:${secret} --rm image`, hide),
  (secret, hide) => unitWith(`Environment=HTTP_PROXY=http://u:${secret}@h:3128 B=c`, hide),
  (secret, hide) => ({
    kernelArguments: {
      shouldExist: [`a=http://${hide(`u:${secret}`)}@h/x`, `rootpwd=${hide(secret)}`, 'quiet'],
    },
  }),
];

const drafts = fc.record({
  chosen: fc.array(fc.record({ part: fc.constantFrom(...parts), secret: secrets, name: names }), {
    minLength: 1,
    maxLength: 4,
  }),
  version: fc.constantFrom('3.3.0', '3.4.0', '3.5.0'),
  indent: fc.constantFrom(0, 1, 4),
});

interface Draft {
  readonly chosen: readonly { readonly part: Part; readonly secret: string; readonly name: string }[];
  readonly version: string;
}

function merge(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...(one as unknown[]), ...(other as unknown[])];
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return other;
  const members = new Map<string, unknown>(Object.entries(one));
  for (const [key, value] of Object.entries(other) as [string, unknown][]) {
    members.set(key, members.has(key) ? merge(members.get(key), value) : value);
  }
  return Object.fromEntries(members);
}

function build({ chosen, version }: Draft, hide: (text: string) => string): unknown {
  return chosen
    .map(({ part, secret, name }) => part(secret, hide, name))
    .reduce<unknown>(merge, { ignition: { version } });
}

const shown = (text: string): string => text;

it('hides exactly the secrets of a config', () => {
  fc.assert(
    fc.property(drafts, ({ indent, ...draft }) => {
      const document = Buffer.from(JSON.stringify(build(draft, shown), undefined, indent));
      const read = readConfig(document);
      const config = read.status === 'read' ? read.config : undefined;
      const expected = JSON.stringify(build(draft, stars), undefined, indent);
      expect(Buffer.from(maskSecrets(document, config)).toString()).toBe(expected);
    }),
  );
});

it('shows no secret in a report, and no star where there is none', async () => {
  await fc.assert(
    fc.asyncProperty(drafts, async ({ indent, ...draft }) => {
      const document = Buffer.from(JSON.stringify(build(draft, shown), undefined, indent));
      const checked = await checkConfig(document, { lint: 'agent', now: new Date(0) });
      const text = formatTextReport(checked.report, { name: 'a.ign', bytes: checked.bytes });
      expect(text).not.toMatch(/[QXZ]{4}/);
      for (const { secret } of draft.chosen)
        expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    }),
  );
});

it('hides exactly the secrets of a config in YAML', async () => {
  await fc.assert(
    fc.asyncProperty(drafts, fc.constantFrom('double', 'flow'), async (draft, style) => {
      // JSON is YAML; in blocks, strings are written as JSON writes them.
      const text = style === 'flow' ? JSON.stringify(build(draft, shown)) : blockYaml(build(draft, shown));
      const expected =
        style === 'flow' ? JSON.stringify(build(draft, stars)) : blockYaml(build(draft, stars));
      const options = { lint: 'none', now: new Date(0) } as const;
      const checked = await checkDocument('a.yaml', Buffer.from(text), options);
      if (checked.report.findings.length === 0) return;
      expect(Buffer.from(checked.bytes).toString()).toBe(expected);
    }),
  );
});

function blockYaml(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return `${JSON.stringify(value)}\n`;
  const isList = Array.isArray(value);
  const members: [string, unknown][] = Object.entries(value);
  if (members.length === 0) return isList ? '[]\n' : '{}\n';
  const lines = members.map(([key, inner]) => {
    const start = `${indent}${isList ? '-' : `${key}:`}`;
    const text = blockYaml(inner, `${indent}  `);
    return text.startsWith(`${indent}  `) ? `${start}\n${text}` : `${start} ${text}`;
  });
  return lines.join('');
}

it('hides no more than secrets of texts that are not JSON', () => {
  fc.assert(
    fc.property(drafts, fc.nat(), ({ indent, ...draft }, at) => {
      const text = JSON.stringify(build(draft, shown), undefined, indent);
      const colons = [...text.matchAll(/:(?=["[{])/g)].map(({ index }) => index);
      const colon = colons[at % colons.length] ?? 0;
      const broken = `${text.slice(0, colon)};${text.slice(colon + 1)}`;
      const masked = Buffer.from(maskSecrets(Buffer.from(broken))).toString();
      expect(masked).toHaveLength(broken.length);
      for (const key of ['ignition', 'version', 'path', 'nmae', 'storage']) {
        expect(masked.split(`"${key}"`)).toHaveLength(broken.split(`"${key}"`).length);
      }
    }),
  );
});

const confLines = fc.oneof(
  fc
    .record({
      secret: secrets,
      name: fc.constantFrom('agent_token', 'image_server_password', 'my_password', 'agent_tokn', '# token'),
    })
    .map(({ name, secret }) => [`${name} = ${secret}`, `${name} = ${stars(secret)}`] as const),
  secrets.map(
    (secret) =>
      [`api_url = http://u:${secret}@h:1/x`, `api_url = http://${stars(`u:${secret}`)}@h:1/x`] as const,
  ),
  fc
    .constantFrom(
      'debug = maybe',
      'agent_token_required = yes',
      'cafile = /etc/x',
      'insecure: x',
      '[mdns]',
      'nonsense',
      '',
    )
    .map((line) => [line, line] as const),
);

it('hides exactly the secrets of a conf', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(confLines), async (lines) => {
      const text = ['[DEFAULT]', ...lines.map(([line]) => line), ''].join('\n');
      const expected = ['[DEFAULT]', ...lines.map(([, line]) => line), ''].join('\n');
      expect(Buffer.from(maskConfSecrets(Buffer.from(text))).toString()).toBe(expected);
      const checked = await checkDocument('ironic-python-agent.conf', Buffer.from(text), {
        lint: 'auto',
        now: new Date(0),
      });
      expect(formatTextReport(checked.report, { name: 'a.conf', bytes: checked.bytes })).not.toMatch(
        /[QXZ]{4}/,
      );
    }),
  );
});
