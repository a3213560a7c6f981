import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inputsNameImage } from '../../support/agentImage.ts';
import { runCli } from '../../support/runCli.ts';

const agent =
  'agent:\n  ironic.apiUrls: https://192.0.2.1\n  agent.image: registry.example.com/ipa\n  host.autologin: true\n';
const nmstate = 'interfaces: [{name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: true}}]\n';

const FILES: Readonly<Record<string, string>> = {
  'valid.yaml': `${agent}hosts:\n- name: a\n  network: {nmstate: nmstate.yaml}\n- name: b\n`,
  'shared.yaml': agent,
  'inventory.json':
    '{"hosts": [{"name": "a"}], "agent": {"ironic.apiUrls": "https://192.0.2.1", "agent.image": "r.example/ipa", "host.autologin": true}}',
  'misspelled.yaml': `agnet: {}\nhosts: []\n`,
  'key.yaml': `${agent}host: [{name: a}]\n`,
  'setting.yaml': agent.replace('agent.image', 'agent.imge'),
  'mac.yaml': `${agent}hosts:\n- name: a\n  mac: x\n- name: b\n`,
  'missing.yaml': `${agent}hosts:\n- name: a\n  network: {nmstate: none.yaml}\n`,
  'other.yaml': `${agent}hosts:\n- name: a\n  network: {nmstate: odd.yaml}\n- name: b\n  network: {nmstate: odd.yaml}\n`,
  'warned.yaml': `${agent.replace('autologin', 'copyNetwork')}hosts:\n- name: a\n- name: b\n`,
  'keyless.yaml': agent.replace('autologin: true', 'sshKeys: []'),
  'unknown.yaml': `${agent}image: x\nhosts:\n- name: a\n  macs: x\n- name: b\n  macs: x\n`,
  'nmstate.yaml': nmstate,
  'odd.yaml': nmstate.replace('type: ethernet', 'type: ethernt'),
};

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'inventories '));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
});
afterAll(() => rmSync(cwd, { recursive: true }));
const validate = (...args: readonly string[]) => runCli(['validate', ...args], { cwd, env: inputsNameImage });

describe('validate of an inventory', () => {
  it.each([
    ['valid.yaml', ''],
    ['shared.yaml', ''],
    ['inventory.json', ''],
    ['warned.yaml', 'no SSH key is set: login to the host is not possible (inventory-remark)'],
  ])('%s is valid', async (file, message) => {
    const { code, stdout, stderr } = await validate(file);
    expect([code, stdout.includes(message)]).toEqual([0, true]);
    expect(stderr).toContain(`${file}: valid`);
  });

  it('an empty list of SSH keys is no oversight', async () => {
    expect(await validate('keyless.yaml')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'keyless.yaml: valid\n',
    });
  });

  it.each([
    ['misspelled.yaml', 'unknown key "agnet"', '1:8', 'use "agent"'],
    ['key.yaml', 'unknown key "host"', '5:7', 'use "hosts"'],
    ['setting.yaml', 'unknown key "agent.imge"', '3:15', 'use "agent.image"'],
    ['mac.yaml', 'a: "x" is not a valid MAC address', '7:8', 'use the form'],
    [
      'missing.yaml',
      'a: Network state (host.nmstate) not found: none.yaml',
      '7:22',
      'create the file, or use a path that exists',
    ],
    ['other.yaml', 'a, b: odd.yaml:1:33: ', '6:1', 'remove the key'],
    ['unknown.yaml', 'a, b: unknown key "macs"', '8:9', 'use "mac"'],
  ])('%s is invalid', async (file, message, place, hint) => {
    const { code, stdout, stderr } = await validate(file);
    expect(code).toBe(1);
    expect(stdout).toContain(`error: ${message}`);
    expect(stdout).toContain(`(inventory-invalid)\n  --> ${file}:${place}\nhint: ${hint}`);
    expect(stderr).toContain(`${file}: invalid`);
  });

  it('writes one line of JSON, with the hosts in the messages', async () => {
    const { stdout } = await validate('--format', 'json', 'other.yaml');
    const { messages, ...verdict }: { messages: { message: string }[] } = JSON.parse(stdout);
    expect(verdict).toEqual({ file: 'other.yaml', valid: false });
    expect(messages.map(({ message }) => message)).toEqual([expect.stringContaining('a, b: odd.yaml:1:33')]);
  });

  it('is invalid with --strict if a host has a warning', async () => {
    expect((await validate('--strict', 'warned.yaml')).code).toBe(1);
    expect((await validate('--format', 'github', 'mac.yaml')).stdout).toContain(
      '::error file=mac.yaml,line=7,col=8,title=inventory-invalid::a: ',
    );
  });

  it('writes nothing', () => expect(readdirSync(cwd).length).toBe(Object.keys(FILES).length));
});
