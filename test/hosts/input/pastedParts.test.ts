/** Kubernetes objects, DER certificates and archives in place of a document, in each command that reads the document. */

import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatMirrorSets } from '../../../src/agent/mirrorSets.ts';
import { readRegistriesConf } from '../../../src/agent/registriesConf.ts';
import { asMapping } from '../../../src/formats/mapping.ts';
import { formatYaml } from '../../../src/formats/yamlText.ts';
import { parseYaml } from '../../../src/formats/yaml.ts';
import { liveIso } from '../../support/liveIso.ts';
import { cpio } from '../../support/newIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const nmstate =
  'interfaces:\n- name: eth0\n  type: ethernet\n  state: up\n  mtu: 1400\n  ipv4:\n    enabled: true\n    dhcp: true\n';
const networkData =
  '{"links": [{"id": "a", "type": "phy", "ethernet_mac_address": "52:54:00:00:00:01"}], "networks": [{"id": "n", "link": "a", "type": "ipv4_dhcp"}]}';
const pullSecret = '{"auths":{"quay.io":{"auth":"dTpodW50ZXIy"}}}';
const certificate = readFileSync(
  resolve(import.meta.dirname, '../../support/certificates/test-ca.pem'),
  'utf8',
);
const pem = new X509Certificate(certificate).toString();
const config = '{"ignition":{"version":"3.4.0"}}';
const mirrors =
  'spec:\n  imageDigestMirrors:\n  - source: quay.io/team\n    mirrors: [mirror.example.com/team]\n';

const indented = (text: string, blanks: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(blanks));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const object = (kind: string, rest: string, name = 'a'): string =>
  `apiVersion: example.com/v1\nkind: ${kind}\nmetadata: {name: ${name}}\n${rest}`;
const secret = (key: string, text: string): string =>
  object('Secret', `stringData:\n  ${key}: |\n${indented(text, 4)}`);

/** Objects, and the documents that they contain. */
const OBJECTS = {
  'NMStateConfig.yaml': object('NMStateConfig', `spec:\n  config:\n${indented(nmstate, 4)}`),
  'NodeNetworkConfigurationPolicy.yaml': object(
    'NodeNetworkConfigurationPolicy',
    `spec:\n  desiredState:\n${indented(nmstate, 4)}`,
  ),
  'AgentConfig.yaml': object(
    'AgentConfig',
    `hosts:\n- hostname: worker-0\n  networkConfig:\n${indented(nmstate, 4)}- hostname: worker-1\n`,
  ),
  'Secret of nmstate.yaml': secret('nmstate', nmstate),
  'Secret of nmstate in base64.yaml': object('Secret', `data: {nmstate: ${base64(nmstate)}}\n`),
  'list of kubectl.yaml': `apiVersion: v1\nkind: List\nitems:\n- ${indented(secret('nmstate', nmstate), 2).trim()}\n`,
  'several documents.yaml': `# all\n---\n${object('Namespace', '')}---\n${secret('nmstate', nmstate)}`,
  'object as JSON.json': JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    stringData: { nmstate },
  }),
} as const;

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'pasted parts '));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    ...OBJECTS,
    image: liveIso('2023-07'),
    'nmstate.yaml': nmstate,
    'network_data.json': networkData,
    'Secret of networkData.yaml': secret('networkData', networkData),
    'Secret of value.yaml': secret('value', networkData),
    'auth.json': pullSecret,
    'Secret of auth.yaml': object('Secret', `data:\n  .dockerconfigjson: ${base64(pullSecret)}\n`),
    'Secret of plain auth.yaml': object('Secret', `data:\n  .dockerconfigjson: '${pullSecret}'\n`),
    'registries.conf': formatMirrorSets([parsed(object('ImageDigestMirrorSet', mirrors))]),
    'idms.yaml': object('ImageDigestMirrorSet', mirrors),
    'icsp.yaml': object('ImageContentSourcePolicy', mirrors.replace('imageDigest', 'repositoryDigest')),
    'ca.pem': pem,
    // The name of a certificate's file is in the name of its copy.
    'DER/ca.pem': new X509Certificate(certificate).raw,
    'Secret/ca.pem': secret('ca.crt', pem),
    'ConfigMap/ca.pem': secret('ca-bundle.crt', pem).replace('Secret', 'ConfigMap').replace('stringD', 'd'),
    'a.ign': config,
    'wrapped.img': gzipSync(cpio({ 'config.ign': config })),
    'two.yaml': `${OBJECTS['NMStateConfig.yaml']}---\n${OBJECTS['NMStateConfig.yaml'].replace('name: a', 'name: b')}`,
    'BareMetalHost.yaml': object('BareMetalHost', 'spec: {}\n'),
    'empty Secret.yaml': object('Secret', 'data: {token: YQ==}\n'),
    'keyfile.nmconnection': '[connection]\nid=eth0\ntype=ethernet\n',
    'page.html': '<!DOCTYPE html>\n<title>404</title>\n',
    'inventory.yaml': 'hosts:\n- name: worker-0\n  network: {nmstate: NMStateConfig.yaml}\n',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const parsed = (text: string) => asMapping(parseYaml(text).value);
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
    ['iso', 'customize', '-o', '-', 'image', '--network-data'],
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

/** What is passed, and the document that gives the same result. */
const SAME: readonly (readonly [pasted: string, plain: string, commands: keyof typeof COMMANDS])[] = [
  ...Object.keys(OBJECTS).map((file) => [file, 'nmstate.yaml', 'nmstate'] as const),
  ['Secret of networkData.yaml', 'network_data.json', 'networkData'],
  ['Secret of value.yaml', 'network_data.json', 'networkData'],
  ['Secret of auth.yaml', 'auth.json', 'pullSecret'],
  ['idms.yaml', 'registries.conf', 'registriesConf'],
  ['icsp.yaml', 'registries.conf', 'registriesConf'],
  ['DER/ca.pem', 'ca.pem', 'caCertificates'],
  ['Secret/ca.pem', 'ca.pem', 'caCertificates'],
  ['ConfigMap/ca.pem', 'ca.pem', 'caCertificates'],
  ['wrapped.img', 'a.ign', 'config'],
];

describe('an object that contains the document', () => {
  const cases = SAME.flatMap(([pasted, plain, commands]) =>
    COMMANDS[commands].map((command) => [command.join(' '), pasted, plain, command] as const),
  );
  it.each(cases)('%s %s', async (_title, pasted, plain, command) => {
    const own = await run(...command, pasted);
    const expected = await run(...command, plain);
    expect(expected.code).toBe(0);
    expect({ code: own.code, stderr: own.stderr }).toEqual({ code: 0, stderr: expected.stderr });
    expect(own.stdoutBytes).toEqual(expected.stdoutBytes);
  });

  it('is the network of a BareMetalHost', async () => {
    const deploy = ['deploy', 'baremetalhost', '--name', 'a', '--bmc-address', 'ipmi://192.0.2.1'];
    const all = [...deploy, '--boot-mac', '52:54:00:00:00:01', '--root-device', 'deviceName=/dev/sda'];
    const { code, stdout } = await run(...all, '--user-data-name', 'b', '--nmstate', 'NMStateConfig.yaml');
    expect(code).toBe(0);
    expect(stdout).toContain('mtu: 1400');
    expect(stdout).not.toContain('NMStateConfig');
  });

  it('is the network of a host in an inventory, also inlined', async () => {
    const inlined = `hosts:\n- name: worker-0\n  network:\n    nmstate:\n${indented(OBJECTS['NMStateConfig.yaml'], 6)}`;
    writeFileSync(join(cwd, 'inlined.yaml'), inlined);
    const configs: string[] = [];
    for (const inventory of ['inventory.yaml', 'inlined.yaml']) {
      const { code } = await run(...render, '--inventory', inventory, '-o', 'out');
      expect(code).toBe(0);
      configs.push(readFileSync(join(cwd, 'out', 'worker-0.ign'), 'utf8'));
    }
    expect(configs[0]).toContain('eth0.nmconnection');
    expect(configs[1]).toBe(configs[0]);
  });

  it('may be plain text under data, with a warning', async () => {
    const { code, stderr, stdout } = await run(...render, '--pull-secret', 'Secret of plain auth.yaml');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'warning: Secret of plain auth.yaml:5:22: the value of ".dockerconfigjson" is plain text, but values under "data" of a Secret are base64\n' +
        'hint: write plain text under "stringData"\n',
    );
    expect(stderr).not.toContain('hunter2');
    expect(stdout).toBe((await run(...render, '--pull-secret', 'auth.json')).stdout);
  });
});

it('a pull secret that is not valid YAML is not quoted', async () => {
  writeFileSync(
    join(cwd, 'broken secret.yaml'),
    object('Secret', 'data:\n  .dockerconfigjson: "dTpodW50ZXIy\n'),
  );
  const { code, stderr } = await run(...render, '--pull-secret', 'broken secret.yaml');
  expect(code).toBe(1);
  expect(stderr).toContain('broken secret.yaml: Invalid YAML');
  expect(stderr).not.toContain('dTpod');
});

it.each([
  ['as it is', '{"auths": {},}', ' at line 1, column 14\nhint: remove the comma before it\n'],
  ['in a Secret', secret('.dockerconfigjson', '{"auths": {},}'), '\nhint: remove the comma before it\n'],
])('a pull secret %s that is not valid JSON: the place is that in the file', async (_title, content, end) => {
  writeFileSync(join(cwd, 'comma.json'), content);
  const { code, stderr } = await run(...render, '--pull-secret', 'comma.json');
  expect(code).toBe(1);
  expect(stderr).toBe(`error: --pull-secret: comma.json is not valid JSON${end}`);
});

it('a registries.conf in a ConfigMap that is not valid is reported as such', async () => {
  const content = secret('registries.conf', '[[registry]\n')
    .replace('Secret', 'ConfigMap')
    .replace('stringD', 'd');
  writeFileSync(join(cwd, 'registries.yaml'), content);
  const { code, stderr } = await run(...render, '--registries-conf', 'registries.yaml');
  expect(code).toBe(1);
  expect(stderr).not.toContain('not a registries.conf');
});

describe('positions are those of the pasted file', () => {
  const files = Object.entries(OBJECTS);
  it.each(files.filter(([file]) => !file.endsWith('.json')))('%s', async (file, source) => {
    const lines = source.split('\n');
    const line = lines.findIndex((text) => text.includes('1400') || text.includes(base64(nmstate))) + 1;
    const broken = source.includes('1400')
      ? source.replace('1400', 'many')
      : source.replace(base64(nmstate), base64(nmstate.replace('1400', 'many')));
    mkdirSync(join(cwd, 'broken'), { recursive: true });
    writeFileSync(join(cwd, 'broken', file), broken);
    for (const command of COMMANDS.nmstate) {
      const { code, stderr } = await run(...command, `broken/${file}`);
      expect(code).toBe(1);
      expect(stderr).toContain(`${file}:${line}:`);
      expect(stderr).toContain('expected an integer');
    }
  });

  it('syntax errors, too', async () => {
    writeFileSync(join(cwd, 'syntax.yaml'), secret('nmstate', 'interfaces:\n- name: a\n   b: c\n'));
    const { code, stderr } = await run('iso', 'network', 'embed', '--nmstate', 'syntax.yaml', 'image');
    expect(code).toBe(1);
    expect(stderr).toMatch(/at line 8, column \d+/);
  });
});

describe('an object without the document', () => {
  it.each([
    [
      'nmstate',
      'two.yaml',
      'two.yaml contains 2 of these documents: "a" (line 5), "b" (line 19)',
      'of its own',
    ],
    [
      'nmstate',
      'BareMetalHost.yaml',
      'object of kind "BareMetalHost", not an nmstate file',
      'write the part',
    ],
    ['nmstate', 'Secret of auth.yaml', 'object of kind "Secret", not an nmstate file', 'write the part'],
    ['nmstate', 'page.html', 'is an HTML page, not an nmstate file', 'download the file again'],
    ['networkData', 'Secret of nmstate.yaml', 'kind "Secret", not OpenStack network data', 'write the part'],
    ['pullSecret', 'Secret of nmstate.yaml', 'object of kind "Secret", not a pull secret', 'write the part'],
    ['registriesConf', 'BareMetalHost.yaml', 'kind "BareMetalHost", not a registries.conf', 'write the part'],
    ['caCertificates', 'page.html', 'is an HTML page, not a PEM certificate', 'download the file again'],
    ['caCertificates', 'idms.yaml', 'kind "ImageDigestMirrorSet", not a PEM certificate', 'write the part'],
    [
      'config',
      'BareMetalHost.yaml',
      'object of kind "BareMetalHost", not an Ignition config',
      'write the part',
    ],
  ] as const)('%s: %s', async (wanted, file, message, hint) => {
    for (const command of COMMANDS[wanted]) {
      const { code, stderr } = await run(...command, file);
      expect([command.join(' '), code]).toEqual([command.join(' '), 1]);
      expect(stderr).toContain(message);
      expect(stderr).toMatch(new RegExp(`hint: .*${hint.replaceAll('.', '[.]')}`));
      expect(stderr).not.toContain('dTpodW50ZXIy');
    }
  });
});

describe('logical names of interfaces', () => {
  it('are identified by their MAC addresses', async () => {
    const network = `interfaces:\n- name: eth0\n  type: ethernet\n- name: bond0\n  type: bond\n  link-aggregation: {mode: active-backup, port: [eth0, eth1]}\n`;
    const macs =
      'interfaces:\n- {name: eth0, macAddress: "52:54:00:00:00:01"}\n- {name: eth1, macAddress: "52:54:00:00:00:02"}\n';
    writeFileSync(
      join(cwd, 'logical.yaml'),
      object('NMStateConfig', `spec:\n${indented(macs, 2)}  config:\n${indented(network, 4)}`),
    );
    const links = parsed(network)['interfaces'];
    const plain = (Array.isArray(links) ? links : []).map((link) =>
      'link-aggregation' in link
        ? link
        : { ...link, identifier: 'mac-address', 'mac-address': '52:54:00:00:00:01' },
    );
    const second = { name: 'eth1', type: 'ethernet', state: 'up', identifier: 'mac-address' };
    const interfaces = [...plain, { ...second, 'mac-address': '52:54:00:00:00:02' }];
    writeFileSync(join(cwd, 'by MAC.yaml'), formatYaml([{ interfaces }]));
    const own = await run('pxe', 'network', 'wrap', '--nmstate', 'logical.yaml');
    const expected = await run('pxe', 'network', 'wrap', '--nmstate', 'by MAC.yaml');
    expect([own.code, own.stderr]).toEqual([0, '']);
    expect(own.stdoutBytes).toEqual(expected.stdoutBytes);
  });
});

describe('mirror sets as registries.conf', () => {
  it('have the mirrors of all objects, for digests or for tags', () => {
    const tags =
      'spec:\n  imageTagMirrors:\n  - source: quay.io/team\n    mirrorSourcePolicy: NeverContactSource\n    mirrors: [m.example.com/team, quay.io/team]\n';
    const text = formatMirrorSets([
      parsed(object('ImageDigestMirrorSet', mirrors)),
      parsed(object('ImageTagMirrorSet', tags)),
      parsed(object('ImageTagMirrorSet', 'spec: {imageTagMirrors: [{source: "*.example.org"}, 5]}\n')),
    ]);
    expect(text).toBe(
      [
        '[[registry]]',
        'location = "quay.io/team"',
        'blocked = true',
        '',
        '[[registry.mirror]]',
        'location = "mirror.example.com/team"',
        'pull-from-mirror = "digest-only"',
        '',
        '[[registry.mirror]]',
        'location = "m.example.com/team"',
        'pull-from-mirror = "tag-only"',
        '',
      ].join('\n'),
    );
    expect(readRegistriesConf(text).issues).toEqual([]);
  });
});
