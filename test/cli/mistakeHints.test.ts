/** Mistakes of new users: the message names the mistake itself, and the hint its fix. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inputsNameImage } from '../support/agentImage.ts';
import { runCli } from '../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'mistakes '));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const render = ['render', '--api-url', 'http://192.0.2.1', '--agent-image', 'quay.io/x', '-o', 'x.ign'];
const inventory = ['render', '--inventory', 'input.yaml', '-o', 'out'];
const unit = (name: string): string =>
  JSON.stringify({
    ignition: { version: '3.4.0' },
    systemd: { units: [{ name, contents: '[Container]\n' }] },
  });

describe('the hint for', () => {
  it.each<[string, readonly string[], string, string]>([
    [
      'a value that begins with @',
      inventory,
      'agent: {profile: @x}',
      'input.yaml:1:18: Invalid YAML: a value cannot begin with "@"',
    ],
    ['a value that begins with %', inventory, 'agent: %x', 'hint: put the value in single quotes\n'],
    [
      'a placeholder in an option',
      ['render', '--api-url', 'http://<ironic>', '--agent-image', 'quay.io/x'],
      '',
      `--api-url contains a placeholder that is not replaced: "<ironic>"\nhint: replace "<ironic>" with the value\n`,
    ],
    [
      'a placeholder in the path of a file',
      [...render, '--ssh-key', '<your key>'],
      '',
      `the path contains a placeholder that is not replaced: "<your key>"\nhint: replace "<your key>" with the value\n`,
    ],
    [
      'a placeholder in a setting',
      inventory,
      'agent: {ironic.apiUrls: ["@URL@"]}\nhosts: [{name: a}]',
      `ironic.apiUrls contains a placeholder that is not replaced: "@URL@"\nhint: replace "@URL@" with the value\n`,
    ],
    [
      'a placeholder as the address of a BMC',
      ['deploy', 'node', '--name', 'a', '--bmc-address', '<BMC>'],
      '',
      `it contains a placeholder that is not replaced: "<BMC>" (bmc-address)\nhint: replace "<BMC>" with the value\n`,
    ],
    [
      'a key with two types',
      [...render, '--ssh-key', 'input.yaml'],
      'ssh-ed25519 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ',
      'it contains the key type twice; remove one of them',
    ],
    [
      'a quadlet as a unit',
      ['validate', 'input.yaml'],
      unit('web.container'),
      'hint: add it to storage.files as /etc/containers/systemd/web.container',
    ],
    [
      'the name of a host as an argument',
      ['deploy', 'node', 'a'],
      '',
      'hint: pass the name of a host with --name a\n',
    ],
    [
      'the name of a host as an argument beside an inventory',
      ['deploy', 'node', '--inventory', 'input.yaml', 'a'],
      '',
      'hint: pass the name of a host with --host a\n',
    ],
  ])('%s', async (_title, args, input, expected) => {
    writeFileSync(join(cwd, 'input.yaml'), input);
    const { stderr, stdout } = await runCli(args, { cwd, env: inputsNameImage });
    expect(stderr + stdout).toContain(expected);
  });
});
