// @ts-check
/** What is done to an ISO before it boots, and what the machine then has to say. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const program = resolve(import.meta.dirname, '../../../bin/ironic-coreos.js');

/**
 * @typedef {object} Expected what the initramfs and the medium have to hold; undefined where nothing has to be there
 * @property {Uint8Array} [config]
 * @property {readonly (readonly [path: string, data: Uint8Array])[]} [files]
 * @property {readonly string[]} [kargs] among the others
 * @property {readonly string[]} [noKargs]
 */

/**
 * @typedef {object} Variant
 * @property {readonly (readonly string[])[]} commands each with `boot.iso` as its image
 * @property {Expected} expected
 */

/** Of files whose digests are compared. @param {string} seed @param {number} length */
function noise(seed, length) {
  return createHash('shake256', { outputLength: length }).update(seed).digest();
}

const MIB = 1024 * 1024;
const small = configWith(noise('small', 100));
/** Past the 256 KiB of the reserved area, compressed. */
const large = configWith(noise('large', 400_000));
const network = '/etc/coreos-firstboot-network';
const medium = '/run/media/iso/coreos';

/** @type {Readonly<Record<string, Uint8Array>>} */
const inputs = {
  'small.ign': small,
  'large.ign': large,
  'eth0.nmconnection': Buffer.from('[connection]\nid=eth0\ntype=ethernet\n'),
  'bond0.nmconnection': Buffer.from('[connection]\nid=bond0\ntype=bond\ninterface-name=bond0\n'),
  'ca.crt': noise('certificate', 3000),
  'large.bin': noise('initramfs', 30 * MIB),
  'medium.bin': noise('medium', 5 * MIB + 17),
};

const embedSmall = ['iso', 'ignition', 'embed', '-i', 'small.ign'];
const embedLarge = ['iso', 'ignition', 'embed', '-i', 'large.ign', '--grow'];
const addMedium = ['--iso-file', 'medium.bin:added-medium.bin', '--iso-file', 'ca.crt:added-ca.crt'];
const mediumFiles = /** @type {const} */ ([
  [`${medium}/added-ca.crt`, inputs['ca.crt'] ?? small],
  [`${medium}/added-medium.bin`, inputs['medium.bin'] ?? small],
]);
const keyfiles = /** @type {const} */ ([
  [`${network}/bond0.nmconnection`, inputs['bond0.nmconnection'] ?? small],
  [`${network}/eth0.nmconnection`, inputs['eth0.nmconnection'] ?? small],
]);
const largeFile = /** @type {const} */ ([['/added/large.bin', inputs['large.bin'] ?? small]]);
const addLarge = ['--initrd-file', 'large.bin:added/large.bin'];

/** @type {Readonly<Record<string, Variant>>} */
export const variants = {
  embedded: { commands: [embedSmall], expected: { config: small } },
  network: {
    commands: [
      ['iso', 'network', 'embed', '-k', 'eth0.nmconnection', '-k', 'bond0.nmconnection'],
      ['iso', 'ignition', 'embed', '-i', 'small.ign'],
    ],
    expected: { config: small, files: keyfiles },
  },
  kargs: {
    commands: [
      ['iso', 'kargs', 'modify', '-a', 'ipa-debug=1', '-a', 'ip=dhcp', '-d', 'ignition.firstboot'],
      ['iso', 'kargs', 'modify', '-r', 'ignition.platform.id=metal=openstack'],
    ],
    expected: {
      kargs: ['ipa-debug=1', 'ip=dhcp', 'ignition.platform.id=openstack'],
      noKargs: ['ignition.firstboot', 'ignition.platform.id=metal'],
    },
  },
  grown: { commands: [embedLarge], expected: { config: large } },
  'grown, 30 MiB': {
    commands: [[...embedSmall, ...addLarge, '--grow']],
    expected: { config: small, files: largeFile },
  },
  'grown, and back': { commands: [embedLarge, [...embedSmall, '-f']], expected: { config: small } },
  'grown, removed': { commands: [embedLarge, ['iso', 'ignition', 'remove']], expected: {} },
  'file on the medium': {
    commands: [[...embedSmall, ...addMedium]],
    expected: { config: small, files: mediumFiles },
  },
  customize: {
    commands: [
      [
        ...'iso customize --live-karg-append quiet --network-keyfile eth0.nmconnection'.split(' '),
        ...'--network-keyfile bond0.nmconnection'.split(' '),
      ],
    ],
    expected: { files: keyfiles, kargs: ['quiet'] },
  },
  everything: {
    commands: [
      ['iso', 'network', 'embed', '-k', 'eth0.nmconnection', '-k', 'bond0.nmconnection'],
      ['iso', 'ignition', 'embed', '-i', 'large.ign', '--grow', ...addLarge, ...addMedium],
      ['iso', 'kargs', 'modify', '-a', 'ipa-debug=1'],
    ],
    expected: {
      config: large,
      files: [...largeFile, ...keyfiles, ...mediumFiles],
      kargs: ['ipa-debug=1'],
    },
  },
};

/** @param {string} folder that gets the files which the commands name */
export function writeInputs(folder) {
  for (const [name, data] of Object.entries(inputs)) writeFileSync(join(folder, name), data);
}

/** Makes `boot.iso` in the folder from the pristine image.
 * @param {Variant} variant
 * @param {{ pristine: string, folder: string }} place
 */
export function prepare({ commands }, { pristine, folder }) {
  copyFileSync(pristine, join(folder, 'boot.iso'));
  for (const args of commands) {
    execFileSync(process.execPath, [program, ...args, 'boot.iso'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
}

/** @param {Expected} expected @param {readonly string[]} lines @returns {string[]} what is wrong */
export function compareBoot({ config, files = [], kargs = [], noKargs = [] }, lines) {
  const [commandLine = '', ...rest] = lines;
  const wanted = [
    `BOOT-CONFIG ${config === undefined ? 'none' : digest(config)}`,
    'BOOT-MOUNTED',
    'BOOT-END',
    ...files.map(([path, data]) => `BOOT-FILE ${path} ${digest(data)}`),
  ];
  const given = commandLine.split(' ');
  return [
    ...kargs.filter((karg) => !given.includes(karg)).map((karg) => `no kernel argument ${karg}`),
    ...noKargs.filter((karg) => given.includes(karg)).map((karg) => `kernel argument ${karg} is still there`),
    ...wanted.filter((line) => !rest.includes(line)).map((line) => `missing: ${line}`),
    ...rest.filter((line) => !wanted.includes(line)).map((line) => `unexpected: ${line}`),
  ];
}

/** @param {Uint8Array} data */
function digest(data) {
  return createHash('sha256').update(data).digest('hex');
}

/** @param {Buffer} data of a file in it */
function configWith(data) {
  const contents = { source: `data:;base64,${data.toString('base64')}` };
  const storage = { files: [{ path: '/etc/added', contents }] };
  return Buffer.from(JSON.stringify({ ignition: { version: '3.4.0' }, storage }));
}
