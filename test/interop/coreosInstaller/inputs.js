// @ts-check
/** The files that the commands of the scenarios name, as `in/NAME`. */

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @param {string} seed @param {number} length in bytes */
function noise(seed, length) {
  return createHash('shake256', { outputLength: length }).update(seed).digest();
}

/** @param {number} bytes that do not get smaller by compressing */
function configOf(bytes) {
  const contents = { source: `data:;base64,${noise('config', bytes).toString('base64')}` };
  return JSON.stringify({
    ignition: { version: '3.4.0' },
    storage: { files: [{ path: '/etc/noise', contents }] },
  });
}

const nmstate = `interfaces:
- name: eth0
  type: ethernet
  state: up
  ipv4:
    enabled: true
    dhcp: true
`;

/** @type {Readonly<Record<string, string | Uint8Array>>} */
const inputs = {
  'a.ign':
    '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/a","contents":{"source":"data:,x"}}]}}\n',
  'b.ign':
    '{"ignition": {"version": "3.0.0"}, "systemd": {"units": [{"name": "b.service", "enabled": true}]}}',
  'unused.ign':
    '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/c","unknown":1}]},"other":{}}',
  'semantics.ign': '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"etc/relative"}]}}',
  'v2.ign': '{"ignition":{"version":"2.2.0"}}',
  'new.ign': '{"ignition":{"version":"3.99.0"}}',
  'experimental.ign': '{"ignition":{"version":"3.3.0-experimental"}}',
  'broken.ign': '{"ignition": {"version": "3.0.0"}',
  'types.ign': '{"ignition":{"version":"3.4.0"},"storage":{"files":{}}}',
  'empty.ign': '',
  'nearly-full.ign': configOf(190_000),
  'large.ign': configOf(400_000),
  'not-utf8.ign': Buffer.from([0xff, 0xfe, 0x00, 0x01]),
  'eth0.nmconnection': '[connection]\nid=eth0\ntype=ethernet\n',
  'no-newline.nmconnection': '[connection]\nid=bond0\ntype=ethernet',
  'folder/eth0.nmconnection': '[connection]\nid=another\ntype=ethernet\n',
  'text.nmconnection': 'no keyfile\n',
  'large.nmconnection': noise('keyfile', 300_000),
  'net.yaml': nmstate,
  'net.json':
    '{"interfaces":[{"name":"eth1","type":"ethernet","state":"up","ipv4":{"enabled":"true","dhcp":"true"}}]}',
  'pre.sh': '#!/bin/sh\nlsblk\n',
  'post.sh': '#!/bin/sh\npoweroff\n',
  'ca.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  'installer.yaml': 'append-karg: [quiet]\nstream: stable\n',
  'second.yaml': '# comment\ncopy-network: true\nconsole:\n- ttyS0\n',
  'unknown.yaml': 'append-kargs: [quiet]\n',
  'text.yaml': 'text\n',
  'text.txt': 'no image\n',
  'zeros.iso': new Uint8Array(65_536),
  'empty.iso': '',
};

/** @param {string} folder */
export function writeInputs(folder) {
  for (const [name, data] of Object.entries(inputs)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), data);
  }
}
