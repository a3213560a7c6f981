/** Hosts that differ only in their names and networks: what they have in common is checked once, their networks one by one. */

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli, type RunResult } from '../../support/runCli.ts';

const keyfile = (name: string, lines: string): string => `
- name: ${name}
  network:
    keyfiles:
      net.nmconnection: |
        [connection]
        id=net
        type=${lines.includes('[wifi]') ? 'wifi' : 'ethernet'}
        interface-name=ens3
${lines.replaceAll(/^/gm, '        ')}
`;
const reachable = '[ipv4]\nmethod=manual\naddress1=203.0.113.9/24,203.0.113.1';
const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
  agent.image: registry.example.com/ironic-agent
hosts:${keyfile('plain', reachable)}${keyfile(
  'secret',
  `${reachable.replace('.9/', '.10/')}
[wifi]
ssid=rack
[wifi-security]
key-mgmt=wpa-psk
psk=hunter22`,
)}${keyfile('cut-off', '[ipv4]\nmethod=manual\naddress1=203.0.113.11/24')}`;

let cwd = '';
let run: RunResult;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'same settings '));
  await writeFile(join(cwd, 'inv.yaml'), inventory);
  run = await runCli(['render', '--inventory', 'inv.yaml', '-o', 'out'], { cwd });
});
afterAll(async () => rm(cwd, { recursive: true, force: true }));

it('reports a problem of their settings for all of them', () => {
  expect(run.stderr).toMatch(/3 hosts: no SSH key is set.*\n.*for cut-off, plain, secret/);
});

it('reports a problem of a network for its host only', () => {
  expect(run.stderr.match(/^(?:warning|error): .*192\.0\.2\.1.*\n.*/gm)).toEqual([
    expect.stringContaining('cut-off'),
  ]);
});

it.each([
  ['plain', '644'],
  ['secret', '600'],
])('the file of the host %s has the mode %s', async (host, mode) => {
  const { mode: bits } = await stat(join(cwd, 'out', `${host}.ign`));
  expect((bits & 0o777).toString(8)).toBe(mode);
});
