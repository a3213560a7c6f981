/** Documents of another type in place of an inventory, in each command that reads an inventory. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { runCli } from '../../support/runCli.ts';

/** What is passed, what it is, and what to do with it. */
const DOCUMENTS: readonly (readonly [
  file: string,
  content: string | Uint8Array,
  noun: string,
  hint: string,
])[] = [
  [
    'host.yaml',
    'apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nspec: {bootMACAddress: "52:54:00:00:00:01"}\n',
    'a Kubernetes object of kind "BareMetalHost"',
    'write an inventory from it with "ironic-coreos import host.yaml"',
  ],
  ['a.ign', '{"ignition":{"version":"3.4.0"}}', 'an Ignition config', 'embed it with'],
  ['a.bu', 'variant: fcos\nversion: 1.5.0\n', 'a Butane config', 'embed it with'],
  [
    'ipa.conf',
    '# comment\n[DEFAULT]\napi_url = https://192.0.2.1\n',
    'a configuration file of ironic-python-agent',
    'pass it to render with --conf ipa.conf',
  ],
  [
    'conductor.conf',
    '[DEFAULT]\ndebug = true\n[conductor]\nautomated_clean = false\n',
    'an ironic.conf',
    'check it with "ironic-coreos validate conductor.conf"',
  ],
  ['live.iso', liveIso('2023-07'), 'an ISO image', 'inspect it with "ironic-coreos inspect live.iso"'],
  ['page.html', '<!DOCTYPE html>\n<title>404</title>\n', 'an HTML page', 'download the file again'],
];

const url = 'http://192.0.2.1';
/** The commands that read an inventory, with the option for it last. */
const COMMANDS: readonly (readonly string[])[] = [
  ['render', '-o', 'out', '--inventory'],
  ['prepare', '--iso', 'live.iso', '--artifacts', 'iso', '--base-url', url, '-o', 'out', '--inventory'],
  ['try', '--iso', 'live.iso', '--public-url', url, '--inventory'],
  ['boot', 'a', '--inventory'],
  ['deploy', 'node', '--inventory'],
  ['deploy', 'baremetalhost', '--inventory'],
  ['pxe', 'kargs', '--inventory'],
];

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'other inventories '));
  for (const [file, content] of DOCUMENTS) writeFileSync(join(cwd, file), content);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('a document of another type', () => {
  it.each(DOCUMENTS)('%s', async (file, _content, noun, hint) => {
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await runCli([...command, file], { cwd });
      expect([command[0], code, stdout]).toEqual([command[0], 1, '']);
      expect(stderr).toContain(`error: ${file} is ${noun}, not an inventory of ironic-coreos\nhint: ${hint}`);
      expect(stderr).not.toContain('hunter2');
    }
    expect(readdirSync(cwd)).toHaveLength(DOCUMENTS.length);
  });
});

describe('an inventory with mistakes remains an inventory', () => {
  it.each([
    ['a misspelled key', 'agnet: {}\nhosts: []\n', 'unknown key "agnet"', 'use "agent"'],
    [
      'a setting at the top',
      'ironic.apiUrls: https://192.0.2.1\n',
      'unknown key "ironic.apiUrls"',
      'write settings',
    ],
    [
      'an empty file',
      '# nothing\n',
      'the inventory is empty',
      'write settings below "agent:" or entries below "hosts:"',
    ],
    [
      'a list of hosts',
      '- name: a\n- name: b\n',
      'must be a mapping',
      'write each entry as an indented line',
    ],
    [
      'hosts by their names',
      'hosts: {worker-0: {mac: x}}\n',
      '"hosts" must be a list',
      'write each item as a line that starts with',
    ],
    ['a list of others', '- a\n', 'must be a mapping', 'write each entry as an indented line'],
  ])('%s', async (_title, content, message, hint) => {
    const folder = mkdtempSync(join(tmpdir(), 'inventory '));
    writeFileSync(join(folder, 'inventory.yaml'), content);
    const { code, stderr } = await runCli(['render', '--inventory', 'inventory.yaml', '-o', 'out'], {
      cwd: folder,
    });
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`hint: ${hint}`);
  });
});
