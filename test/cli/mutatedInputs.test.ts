/** Documents with unusual values: each command answers with a result or with an error of the user, never with an internal error. */

import * as fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { asMapping, jsonText } from '../../src/formats/mapping.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import { runCli } from '../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'mutated '));
afterAll(() => rmSync(cwd, { recursive: true }));

const inventory = {
  agent: { 'ironic.apiUrls': 'https://192.0.2.1', 'host.consoles': ['ttyS0,115200n8'], 'boot.ip': ['dhcp'] },
  networkTemplate: {
    nmstate: {
      interfaces: [
        {
          name: 'eno1',
          type: 'ethernet',
          state: 'up',
          ipv4: { enabled: true, address: [{ ip: '{ip}', 'prefix-length': 24 }] },
        },
      ],
      routes: {
        config: [
          {
            destination: '0.0.0.0/0',
            'next-hop-address': '192.0.2.254',
            'next-hop-interface': 'eno1',
          },
        ],
      },
    },
  },
  deploy: { rootDeviceHints: { size: '>= 100', serial: 'abc' }, deployIso: 'http://192.0.2.9/{name}.iso' },
  hosts: [
    {
      name: 'worker-0',
      mac: '52:54:00:12:34:56',
      network: { values: { ip: '192.0.2.10' } },
      deploy: { bmcAddress: 'redfish://192.0.2.8/redfish/v1/Systems/1', spec: { bootMode: 'legacy' } },
    },
  ],
};

/** The first document of a file of other tests. */
const read = (path: string): unknown =>
  parseYaml(
    readFileSync(join(import.meta.dirname, '..', path), 'utf8')
      .split(/^---$/m)
      .find((text) => text.trim() !== '') ?? '',
  ).value;
const { stdout: config } = await runCli(['render', '--api-url', 'https://192.0.2.1', '--hostname', 'a'], {
  cwd,
});

/** A document, the name of its file, and the commands that read it. */
const inputs: readonly (readonly [document: unknown, file: string, commands: readonly string[]])[] = [
  [
    inventory,
    'ramdisk.yaml',
    [
      'validate ramdisk.yaml',
      'render --inventory ramdisk.yaml -o configs',
      'render --inventory ramdisk.yaml --show-settings',
      'deploy node --inventory ramdisk.yaml',
      'deploy baremetalhost --inventory ramdisk.yaml',
      'deploy steps --inventory ramdisk.yaml',
    ],
  ],
  [
    read('golden/deploy/baremetalhost-full.yaml'),
    'object.yaml',
    ['validate object.yaml', 'import object.yaml'],
  ],
  [read('ipa/hardware/bareMetalHost.yaml'), 'machine.yaml', ['validate --hardware machine.yaml valid.yaml']],
  [read('golden/network/bond-vlan.yaml'), 'network.yaml', ['render --api-url mdns --nmstate network.yaml']],
  [
    JSON.parse(config),
    'config.ign',
    [
      'validate config.ign',
      'inspect config.ign',
      'ignition translate --to 3.2.0 config.ign',
      'render --api-url mdns --merge config.ign',
    ],
  ],
  [
    { auths: { 'a.example.com': { auth: 'dTpw' } }, credHelpers: { b: 'c' } },
    'auth.json',
    ['render --api-url mdns --pull-secret auth.json'],
  ],
];

/** Values that are unusual in each place, also such as break a conversion to text. */
const unusual = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  1e21,
  '',
  'a\nb',
  '{x}',
  'http://[::1',
  '__proto__',
  'x'.repeat(70_000),
  [],
  [null],
  [[]],
  {},
  { '': '' },
  { toString: null },
  { constructor: 1 },
);

function pathsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    [key],
    ...pathsOf(member).map((path) => [key, ...path]),
  ]);
}

function replaceAt(value: unknown, [key = '', ...others]: readonly string[], by: unknown): unknown {
  const member = others.length === 0 ? by : replaceAt(asMapping(value)[key], others, by);
  if (!Array.isArray(value)) return { ...asMapping(value), [key]: member };
  return value.map((item: unknown, index) => (String(index) === key ? member : item));
}

describe('a document with unusual values', () => {
  it.each(inputs)(
    '%#: an answer that is no internal error',
    { timeout: 120_000 },
    async (document, file, commands) => {
      writeFileSync(join(cwd, 'valid.yaml'), jsonText(inventory));
      const change = fc.tuple(fc.constantFrom(...pathsOf(document)), unusual);
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
          const changed = changes.reduce<unknown>(
            (before, [path, by]) => replaceAt(before, path, by),
            document,
          );
          writeFileSync(join(cwd, file), jsonText(changed));
          for (const command of commands) {
            const { code, stderr } = await runCli(command.split(' '), { cwd });
            expect([0, 1, 2]).toContain(code);
            expect(stderr).not.toMatch(/internal error|\[object |undefined/);
          }
        }),
        { numRuns: 60 },
      );
    },
  );
});
