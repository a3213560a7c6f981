import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/formats/yaml.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { runCli } from '../../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'network templates '));
afterAll(() => rmSync(cwd, { recursive: true }));

const agent =
  'agent: {ironic.apiUrls: "https://192.0.2.1", agent.image: r.example/ipa, host.autologin: true}\n';
const template = `networkTemplate:
  nmstate:
    interfaces:
    - name: eth0.{vlan}
      type: vlan
      state: up
      vlan: {base-iface: eth0, id: {vlan}}
      ipv4: {enabled: true, dhcp: false, address: [{ip: {address}, prefix-length: "{prefix}"}]}
    - {name: eth0, type: ethernet, state: up, identifier: mac-address, mac-address: "{mac}"}
`;
const values = (list: string, more = ''): string =>
  `hosts:\n- name: a\n  mac: 52:54:00:00:00:01\n  network:\n    values: {${list}}\n${more}`;
const valid = values('vlan: 5, address: 192.0.2.5, prefix: "24"');

const run = (text: string, ...args: readonly string[]) => {
  writeFileSync(join(cwd, 'ramdisk.yaml'), text);
  return runCli([...args], { cwd, env: inputsNameImage });
};
const show = (text: string, host = 'a') =>
  run(text, 'render', '--inventory', 'ramdisk.yaml', '--show-network', host);

describe('a network template', () => {
  it('has the values of a host in place of its placeholders', async () => {
    const { code, stdout } = await show(agent + template + valid);
    expect(code).toBe(0);
    expect(parseYaml(stdout).value).toEqual({
      interfaces: [
        {
          name: 'eth0.5',
          type: 'vlan',
          state: 'up',
          vlan: { 'base-iface': 'eth0', id: 5 },
          ipv4: { enabled: true, dhcp: false, address: [{ ip: '192.0.2.5', 'prefix-length': '24' }] },
        },
        {
          name: 'eth0',
          type: 'ethernet',
          state: 'up',
          identifier: 'mac-address',
          'mac-address': '52:54:00:00:00:01',
        },
      ],
    });
  });

  it.each([
    ['a text in quotes stays one', '"{v}"', '"24"', '24'],
    ['a number stays one', '"{v}"', '24', 24],
    ['digits without quotes in the template become a number', '{v}', '"24"', 24],
    ['digits that no number holds stay a text', '{v}', '"12345678901234567890"', '12345678901234567890'],
    ['zeros at the start stay', '{v}', '"007"', '007'],
  ])('%s', async (_title, placeholder, value, expected) => {
    const shared = `networkTemplate: {nmstate: {interfaces: [{name: eth0, description: ${placeholder}}]}}\n`;
    const { stdout } = await show(agent + shared + values(`v: ${value}`));
    expect(parseYaml(stdout).value).toEqual({ interfaces: [{ name: 'eth0', description: expected }] });
  });

  it('keeps keys without a value that are no placeholders', async () => {
    const shared = `networkTemplate:
  nmstate:
    interfaces:
    - name: &name {name}
      ethernet:
        speed:
      profile-name: *name
      mtu: {}
      bridge: {a: , b: }
`;
    const { code, stdout } = await show(`${agent}${shared}hosts:\n- {name: a, network: {values: {}}}\n`);
    expect([code, parseYaml(stdout).value]).toEqual([
      0,
      {
        interfaces: [
          {
            name: 'a',
            ethernet: { speed: null },
            'profile-name': 'a',
            mtu: {},
            bridge: { a: null, b: null },
          },
        ],
      },
    ]);
  });

  it('gives the same config as a network of the host', async () => {
    const filled = (await show(agent + template + valid)).stdout;
    const own = `hosts:\n- name: a\n  mac: 52:54:00:00:00:01\n  network:\n    nmstate:\n${filled.replaceAll(/^(?=.)/gm, '      ')}`;
    for (const [text, folder] of [
      [agent + template + valid, 'one'],
      [agent + own, 'other'],
    ] as const) {
      const { code } = await run(text, 'render', '--inventory', 'ramdisk.yaml', '-o', folder);
      expect(code).toBe(0);
    }
    expect(readFileSync(join(cwd, 'one/a.ign'))).toEqual(readFileSync(join(cwd, 'other/a.ign')));
  });

  it('is the network of the ramdisk of a BareMetalHost', async () => {
    const { stdout } = await run(
      agent +
        template +
        valid.replace('  network:', '  deploy: {bmcAddress: "ipmi://192.0.2.9", method: none}\n  network:'),
      'deploy',
      'baremetalhost',
      '--inventory',
      'ramdisk.yaml',
    );
    expect(stdout).toContain('ip: 192.0.2.5');
  });

  it.each([
    [
      'a missing value',
      template,
      'address: 192.0.2.5, prefix: 24',
      'the value "vlan" of the network template is missing',
      '15:',
    ],
    [
      'an unknown value',
      template,
      'vlan: 5, address: a, prefix: 24, adress: b',
      'has no placeholder {adress}',
      '15:',
    ],
    [
      'a missing value with the name of a member of all objects',
      template.replace('{vlan}', '{constructor}'),
      'vlan: 5, address: 192.0.2.5, prefix: 24',
      'the value "constructor" of the network template is missing',
      '15:',
    ],
    ['values without a template', '', 'vlan: 5', '"values" requires a network template', '6:'],
    ['an invalid value', template, 'vlan: 5, address: x, prefix: 24', '', '9:'],
    [
      'a value that is a list',
      template,
      'vlan: [5], address: x, prefix: 24',
      '"vlan" must be a text or a whole number',
      '15:',
    ],
  ])('%s is an error at its place', async (_title, shared, list, message, line) => {
    const { code, stdout } = await run(agent + shared + values(list), 'validate', 'ramdisk.yaml');
    expect(code).toBe(1);
    expect(stdout).toContain(message);
    expect(stdout).toContain(`--> ramdisk.yaml:${line}`);
  });

  it('has a misspelled value once', async () => {
    const { stdout } = await run(
      agent + template + values('vlan: 5, adress: x, prefix: 24'),
      'validate',
      'ramdisk.yaml',
    );
    expect(stdout.match(/^(?:error|hint): .*/gm)).toEqual([
      'error: a: the network template has no placeholder {adress} (inventory-invalid)',
      'hint: use "address", or use {adress} in the template',
    ]);
  });

  it('cannot be combined with a network of the host', async () => {
    const { code, stdout } = await run(
      agent + template + values('vlan: 5', '    nmstate: {interfaces: []}\n'),
      'validate',
      'ramdisk.yaml',
    );
    expect([code, stdout.includes('"values" cannot be combined with "nmstate"')]).toEqual([1, true]);
  });

  it('gets its values from a table', async () => {
    writeFileSync(
      join(cwd, 'hosts.csv'),
      'name,mac,vlan,address,prefix\na,52:54:00:00:00:01,5,192.0.2.5,24\n',
    );
    rmSync(join(cwd, 'imported.yaml'), { force: true });
    await runCli(['import', '-o', 'imported.yaml', 'hosts.csv'], { cwd });
    const imported = readFileSync(join(cwd, 'imported.yaml'), 'utf8');
    expect((await show(agent + template + imported)).stdout).toContain('ip: 192.0.2.5');
  });

  it.each([
    ['a host without a network', 'hosts:\n- name: a\n', 'a', 1, 'a has no nmstate and no network data'],
    ['an unknown host', valid, 'b', 2, 'ramdisk.yaml has no host "b"'],
  ])('%s has nothing to show', async (_title, hosts, host, code, message) => {
    const result = await show(agent + template + hosts, host);
    expect([result.code, result.stderr.includes(message)]).toEqual([code, true]);
  });
});
