/** Documents of another type in each command that reads a document: the error names them, and `import` where it reads them. */

import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { cpio } from '../../support/newIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const pullSecret = '{"auths":{"quay.io":{"auth":"dTpodW50ZXIy"}}}';
const certificate = new X509Certificate(
  readFileSync(resolve(import.meta.dirname, '../../support/certificates/test-ca.pem')),
);
const config = '{"ignition":{"version":"3.4.0"}}';
const object = (kind: string, rest: string): string =>
  `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: a}\n${rest}`;
const secret = object('Secret', `stringData:\n  .dockerconfigjson: '${pullSecret}'\n`);

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'ca.pem': certificate.toString(),
  // The name of a certificate's file is in the name of its copy.
  'DER/ca.pem': certificate.raw,
  'a.ign': config,
  'wrapped.img': gzipSync(cpio({ 'config.ign': config })),
  'NMStateConfig.yaml': object('NMStateConfig', 'spec: {config: {interfaces: []}}\n'),
  'Secret.yaml': secret,
  'documents.yaml': `${secret}---\n${object('BareMetalHost', 'spec: {}\n')}`,
  'object.json': '{"apiVersion": "v1", "kind": "AgentConfig"}',
  'idms.yaml': object('ImageDigestMirrorSet', 'spec: {}\n'),
  'ConfigMap.yaml': object(
    'ConfigMap',
    `data:\n  ca.crt: |\n${certificate.toString().replaceAll(/^(?=.)/gm, '    ')}`,
  ),
  'pod.yaml': object('Pod', 'spec: {}\n'),
  'page.html': '<!DOCTYPE html>\n<title>404</title>\n',
  'comma.json': '{"auths": {},}',
};

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'other documents '));
  for (const [name, content] of Object.entries({ ...FILES, image: liveIso('2023-07') })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<RunResult> => runCli([...args], { cwd });
const render = ['render', '--api-url', 'https://192.0.2.1'] as const;

/** The commands that read each document, with the option for it last. */
const COMMANDS = {
  nmstate: [
    [...render, '--nmstate'],
    ['iso', 'network', 'embed', '-o', '-', 'image', '--nmstate'],
    ['iso', 'customize', '-o', '-', 'image', '--network-nmstate'],
    ['pxe', 'network', 'wrap', '--nmstate'],
  ],
  networkData: [
    [...render, '--network-data'],
    ['iso', 'network', 'embed', '-o', '-', 'image', '--network-data'],
    ['pxe', 'network', 'wrap', '--network-data'],
  ],
  pullSecret: [[...render, '--pull-secret']],
  registriesConf: [[...render, '--registries-conf']],
  caCertificates: [
    [...render, '--ca-file'],
    ['iso', 'customize', '-o', '-', 'image', '--ignition-ca'],
  ],
  config: [
    ['iso', 'ignition', 'embed', '-o', '-', 'image', '-i'],
    ['iso', 'customize', '-o', '-', 'image', '--live-ignition'],
    ['pxe', 'ignition', 'wrap', '-i'],
    ['ignition', 'merge', 'a.ign'],
  ],
} as const;

describe('another form of a document gives the same result', () => {
  const cases = (
    [
      ['DER/ca.pem', 'ca.pem', 'caCertificates'],
      ['wrapped.img', 'a.ign', 'config'],
    ] as const
  ).flatMap(([given, plain, commands]) =>
    COMMANDS[commands].map((command) => [command.join(' '), given, plain, command] as const),
  );
  it.each(cases)('%s %s', async (_title, given, plain, command) => {
    const own = await run(...command, given);
    const expected = await run(...command, plain);
    expect(expected.code).toBe(0);
    expect({ code: own.code, stderr: own.stderr }).toEqual({ code: 0, stderr: expected.stderr });
    expect(own.stdoutBytes).toEqual(expected.stdoutBytes);
  });
});

describe('a document of another type is refused', () => {
  const toImport = 'write an inventory from it with "ironic-coreos import';
  it.each([
    ['nmstate', 'NMStateConfig.yaml', 'object of kind "NMStateConfig", not an nmstate file', toImport],
    ['nmstate', 'documents.yaml', 'object of kind "Secret", not an nmstate file', toImport],
    ['nmstate', 'object.json', 'object of kind "AgentConfig", not an nmstate file', toImport],
    ['nmstate', 'pod.yaml', 'object of kind "Pod", not an nmstate file', 'write the part'],
    ['nmstate', 'page.html', 'is an HTML page, not an nmstate file', 'download the file again'],
    ['networkData', 'Secret.yaml', 'kind "Secret", not OpenStack network data', toImport],
    ['pullSecret', 'Secret.yaml', 'object of kind "Secret", not a pull secret', toImport],
    ['registriesConf', 'idms.yaml', 'kind "ImageDigestMirrorSet", not a registries.conf', toImport],
    ['caCertificates', 'page.html', 'is an HTML page, not a PEM certificate', 'download the file again'],
    ['caCertificates', 'ConfigMap.yaml', 'kind "ConfigMap", not a PEM certificate', toImport],
    ['config', 'NMStateConfig.yaml', 'object of kind "NMStateConfig", not an Ignition config', toImport],
  ] as const)('%s: %s', async (wanted, file, message, hint) => {
    for (const command of COMMANDS[wanted]) {
      const { code, stderr } = await run(...command, file);
      expect([command.join(' '), code]).toEqual([command.join(' '), 1]);
      expect(stderr).toContain(message);
      expect(stderr).toContain(hint);
      expect(stderr).not.toContain('dTpodW50ZXIy');
    }
  });
});

it('a pull secret that is not valid JSON: the place is that in the file', async () => {
  const { code, stderr } = await run(...render, '--pull-secret', 'comma.json');
  expect([code, stderr]).toEqual([
    1,
    'error: --pull-secret: comma.json is not valid JSON at line 1, column 14\nhint: remove the comma before the "}"\n',
  ]);
});
