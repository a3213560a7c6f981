/** Every command that takes an nmstate document reports problems between its interfaces once, at their places in it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { runCli } from '../../support/runCli.ts';

const folder = mkdtempSync(join(tmpdir(), 'network places '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const card = (name: string): string => `  - name: ${name}
    type: ethernet
    state: up
    identifier: mac-address
    mac-address: 52:54:00:12:34:56
    ipv4: {enabled: true, dhcp: true}
    ipv6: {enabled: true, dhcp: true, autoconf: true}
`;

const documents: readonly (readonly [title: string, document: string, found: readonly string[]])[] = [
  [
    'interfaces',
    `interfaces:
  - name: nic1
    type: ethernet
    state: up
    mac-address: 52:54:00:12:34:56
    ipv4: {enabled: true, address: [{ip: 192.0.2.10, prefix-length: 24}]}
  - name: eth1
    type: ethernet
    state: up
    ipv4: {enabled: true, address: [{ip: 192.0.2.10, prefix-length: 24}]}
routes:
  config:
    - {destination: 0.0.0.0/0, next-hop-address: 198.51.100.1, next-hop-interface: eth1}
`,
    [
      'net.yaml:5:18: NetworkManager gives the MAC address',
      'net.yaml:13:50: the gateway 198.51.100.1 of eth1',
      'net.yaml:6:42: nic1 and eth1 have the same address',
    ],
  ],
  [
    'an interface that never starts',
    `interfaces:
  - name: eth0
    type: ethernet
    state: down
    ipv4: {enabled: true, address: [{ip: 192.0.2.10, prefix-length: 24}]}
`,
    ['net.yaml:4:12: NetworkManager starts no connection of the network by itself: eth0'],
  ],
  [
    'interfaces with one MAC address',
    `interfaces:\n${card('nic0')}${card('nic1')}`,
    ['net.yaml:13:18: nic1 and nic0 have the same MAC address 52:54:00:12:34:56'],
  ],
];

describe.each(documents)('problems of %s are reported at their places by', (title, document, found) => {
  const cwd = join(folder, title);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'net.yaml'), document);
  writeFileSync(join(cwd, 'coreos.iso'), liveIso('2023-07'));

  it.each([
    'render --no-ssh-key --api-url https://192.0.2.1 --nmstate net.yaml -o render.ign',
    'iso network embed --nmstate net.yaml -o embed.iso coreos.iso',
    'iso customize --network-nmstate net.yaml -o customize.iso coreos.iso',
    'pxe network wrap --nmstate net.yaml -o net.img',
    'pxe kargs --static --nmstate net.yaml --api-url https://192.0.2.1 --base-url http://192.0.2.2',
    'deploy baremetalhost --name a --boot-mac 52:54:00:12:34:56 --bmc-address redfish://192.0.2.9/redfish/v1/Systems/1 --nmstate net.yaml',
  ])('%s', async (line) => {
    const { stderr } = await runCli(line.split(' '), { cwd });
    const places = stderr.split('\n').flatMap((text) => /^warning: (net\.yaml:.*)$/.exec(text)?.[1] ?? []);
    const ofConnections = places.filter((text) => /agent-network(?:-name)?\)$/.test(text));
    expect(ofConnections.toSorted()).toEqual(found.toSorted().map((text) => expect.stringContaining(text)));
  });
});
