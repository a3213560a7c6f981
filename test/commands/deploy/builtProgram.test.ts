/** Checks of the built program that a bundler may take for calls without effect, and leave out. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { program } from '../../support/packageFolder.ts';

const folder = mkdtempSync(join(tmpdir(), 'built checks '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const address = 'redfish://192.0.2.3/redfish/v1/Systems/a%b';
const bmc = ['--bmc-address', address];
const disk = ['--root-device', 'rotational=false'];
writeFileSync(
  join(folder, 'inv.yaml'),
  `hosts:
- {name: w-0, mac: '52:54:00:00:00:01', deploy: {bmcAddress: '${address}', rootDeviceHints: {rotational: false}}}
- {name: w-1, mac: '52:54:00:00:00:02', deploy: {bmcAddress: 'redfish://192.0.2.4/redfish/v1/Systems/1', rootDeviceHints: {rotational: false}}}
`,
);

it.each([
  ['a node', ['deploy', 'node', '--name', 'w', ...bmc, ...disk], 'an invalid percent escape'],
  [
    'a BareMetalHost',
    ['deploy', 'baremetalhost', '--name', 'w', ...bmc, ...disk],
    'an invalid percent escape',
  ],
  ['nodes of an inventory', ['deploy', 'node', '--inventory', 'inv.yaml'], 'an invalid percent escape'],
  [
    'a machine to boot',
    ['boot', '--check', '--bmc', address, '--iso', 'live.iso'],
    'an invalid percent escape',
  ],
  [
    'the file of a stream',
    ['list-stream', '--stream-base-url', 'file:///tmp/a%b.json'],
    'invalid percent escape',
  ],
])('refuses an invalid percent escape in the address of %s', (_title, args, message) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('internal error');
  expect(stdout).not.toContain('a%b');
  expect(status).not.toBe(0);
});
