/**
 * One table of checks: an input of a kind gets the same findings in every command that takes it. Each option of each command is
 * in the table: with the kind of its value, or among those whose value is no input of a machine.
 */

import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startImageServer } from '../support/imageServer.ts';
import { liveIso } from '../support/liveIso.ts';
import { packedIso } from '../support/minimalIso.ts';
import { isolinux, kernel, ldlinux, liveInitrd, liveRootfs } from '../support/newIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { wholeProgram } from '../support/wholeProgram.ts';

/** A faulty input, and what every command says about it. */
interface Fault {
  readonly title: string;
  /** The content of a file, or the value itself. */
  readonly input: string;
  readonly says: string | RegExp;
  /** Whether the machine would not start: the command ends with 1 or 2 and writes nothing. */
  readonly isFatal: boolean;
}

const config = (members: object): string => JSON.stringify({ ignition: { version: '3.4.0' }, ...members });
const agentUnit = (...lines: readonly string[]): string =>
  ['[Service]', 'Restart=on-failure', ...lines, '[Install]', 'WantedBy=multi-user.target', ''].join('\n');
const agent = 'registry.example.com/ironic-agent';

const configFaults: readonly Fault[] = [
  { title: 'no JSON', input: '{"ignition": ', says: /unexpected end of JSON|json/i, isFatal: true },
  {
    title: 'a rule of Ignition',
    input: config({ storage: { files: [{ path: 'etc/motd' }] } }),
    says: 'path-relative',
    isFatal: true,
  },
  {
    title: 'contents that do not match their hash',
    input: config({
      storage: {
        files: [
          {
            path: '/etc/motd',
            contents: { source: 'data:,x', verification: { hash: `sha256-${'0'.repeat(64)}` } },
          },
        ],
      },
    }),
    says: 'contents-hash-mismatch',
    isFatal: true,
  },
  {
    title: 'a merged config that is invalid',
    input: config({
      ignition: {
        version: '3.4.0',
        config: { merge: [{ source: `data:,${encodeURIComponent('{"ignition":{"version":"9.9.9"}}')}` }] },
      },
    }),
    says: 'version-unsupported',
    isFatal: true,
  },
  { title: 'a misspelled key', input: config({ storrage: {} }), says: 'unused-key', isFatal: false },
];

const liveFaults: readonly Fault[] = [
  ...configFaults,
  {
    title: 'an image that podman refuses',
    input: config({
      systemd: {
        units: [
          {
            name: 'ironic-agent.service',
            enabled: true,
            contents: agentUnit(`ExecStart=/bin/podman run --privileged https://${agent}`),
          },
        ],
      },
    }),
    says: 'agent-image-reference',
    isFatal: true,
  },
  {
    title: 'a file on the read-only filesystem',
    input: config({
      storage: { files: [{ path: '/usr/bin/agent', contents: { source: 'data:,' } }] },
      systemd: {
        units: [
          {
            name: 'ironic-agent.service',
            enabled: true,
            contents: agentUnit(`ExecStart=/bin/podman run ${agent}`),
          },
        ],
      },
    }),
    says: 'agent-path-read-only',
    isFatal: true,
  },
];

interface Kind {
  /** The setting of an inventory that takes it as a file. */
  readonly setting?: string;
  /** Whether the input is the value itself; otherwise, it is the content of a file. */
  readonly isValue?: true;
  /** The name of the file (default: input). */
  readonly file?: string;
  /** Commands with options that take it: `iso customize --live-ignition`. */
  readonly uses: readonly string[];
  readonly faults: readonly Fault[];
  /** An input without findings. */
  readonly valid: string;
}

const keyfile = (...lines: readonly string[]): string =>
  ['[connection]', 'id=eth0', 'type=ethernet', 'interface-name=eth0', ...lines, ''].join('\n');

const kinds: Readonly<Record<string, Kind>> = {
  'a config of the live system': {
    setting: 'ignition.merge',
    uses: [
      'validate FILE',
      'render --merge',
      'iso ignition embed --ignition-file',
      'iso customize --live-ignition',
      'pxe ignition wrap --ignition-file',
      'pxe customize --live-ignition',
    ],
    faults: liveFaults,
    valid: config({ storage: { files: [{ path: '/etc/motd.d/site', contents: { source: 'data:,a' } }] } }),
  },
  'a config of the installed system': {
    uses: [
      'iso customize --dest-ignition',
      'pxe customize --dest-ignition',
      'deploy steps --ignition',
      'deploy configdrive --ignition',
      'deploy baremetalhost --ignition',
    ],
    faults: configFaults,
    valid: config({ passwd: { users: [{ name: 'core', groups: ['wheel'] }] } }),
  },
  'a config to convert': {
    uses: ['ignition merge PARENT', 'ignition merge CHILD', 'ignition translate FILE'],
    faults: configFaults,
    valid: config({}),
  },
  'a keyfile': {
    setting: 'host.keyfiles',
    uses: [
      'render --keyfile',
      'iso network embed --keyfile',
      'iso customize --network-keyfile',
      'pxe network wrap --keyfile',
      'pxe customize --network-keyfile',
      'pxe kargs --keyfile',
    ],
    faults: [
      { title: 'no keyfile', input: 'eth0: dhcp\n', says: /group|section|line/i, isFatal: true },
      { title: 'no connection', input: '[ipv4]\nmethod=auto\n', says: '[connection]', isFatal: true },
      {
        title: 'a keyfile that NetworkManager ignores',
        input: keyfile('[ipv6]', 'method=manual'),
        says: 'method in [ipv6]: manual requires a valid address',
        isFatal: true,
      },
    ],
    file: 'input.nmconnection',
    valid: keyfile('[ipv4]', 'method=manual', 'address1=192.0.2.10/24,192.0.2.1'),
  },
  'an nmstate document': {
    setting: 'host.nmstate',
    uses: [
      'render --nmstate',
      'iso network embed --nmstate',
      'iso customize --network-nmstate',
      'pxe network wrap --nmstate',
      'pxe customize --network-nmstate',
      'pxe kargs --nmstate',
      'deploy baremetalhost --nmstate',
    ],
    faults: [
      { title: 'no YAML', input: 'interfaces: [', says: /flow|collection|end of/i, isFatal: true },
      {
        title: 'a prefix that is too long',
        input:
          'interfaces: [{name: eth0, type: ethernet, state: up, ipv4: {enabled: true, address: [{ip: 192.0.2.10, prefix-length: 33}]}}]',
        says: /prefix|33/,
        isFatal: true,
      },
      {
        title: 'a network that NetworkManager ignores',
        input:
          'interfaces: [{name: bond0, type: bond, state: up, link-aggregation: {mode: active-backup, port: [eth0], options: {arp_interval: 100}}}]',
        says: 'arp_interval in [bond]: requires arp_ip_target or ns_ip6_target',
        isFatal: true,
      },
    ],
    valid:
      'interfaces: [{name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: false, address: [{ip: 192.0.2.10, prefix-length: 24}]}}]',
  },
  'network data': {
    setting: 'host.networkData',
    uses: [
      'render --network-data',
      'iso network embed --network-data',
      'iso customize --network-data',
      'pxe network wrap --network-data',
      'pxe customize --network-data',
      'pxe kargs --network-data',
      'deploy baremetalhost --network-data',
    ],
    faults: [
      { title: 'no JSON', input: '{"links": [', says: /flow|collection|end of|JSON/i, isFatal: true },
      {
        title: 'a network without its link',
        input: '{"links": [], "networks": [{"id": "n", "type": "ipv4_dhcp", "link": "eth0"}]}',
        says: 'eth0',
        isFatal: true,
      },
    ],
    valid:
      '{"links": [{"id": "eth0", "type": "phy", "ethernet_mac_address": "52:54:00:00:00:01"}], "networks": [{"id": "n", "type": "ipv4", "link": "eth0", "ip_address": "192.0.2.5", "netmask": "255.255.255.0"}]}',
  },
  'CA certificates': {
    setting: 'ironic.caFiles',
    uses: ['render --ca-file', 'iso customize --ignition-ca', 'pxe customize --ignition-ca'],
    faults: [
      { title: 'no certificate', input: 'a certificate\n', says: /certificate/i, isFatal: true },
      {
        title: 'a broken certificate',
        input: '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n',
        says: /certificate/i,
        isFatal: true,
      },
    ],
    valid: '',
  },
  'a script': {
    uses: [
      'iso customize --pre-install',
      'iso customize --post-install',
      'pxe customize --pre-install',
      'pxe customize --post-install',
    ],
    faults: [
      { title: 'no interpreter', input: 'echo a\n', says: '#!', isFatal: true },
      { title: 'lines of Windows', input: '#!/bin/bash\r\necho a\r\n', says: 'CR LF', isFatal: true },
    ],
    valid: '#!/bin/bash\necho a\n',
  },
  'the address of a BMC': {
    isValue: true,
    uses: ['deploy baremetalhost --bmc-address', 'deploy node --bmc-address', 'boot --bmc'],
    faults: [
      {
        title: 'the collection of systems',
        input: 'redfish-virtualmedia://192.0.2.9/redfish/v1/Systems',
        says: 'its path is not that of a system',
        isFatal: true,
      },
      {
        title: 'the path of virtual media',
        input: 'redfish-virtualmedia://192.0.2.9/redfish/v1/Managers/1/VirtualMedia/Cd',
        says: 'its path is not that of a system',
        isFatal: true,
      },
      { title: 'an unknown scheme', input: 'redfsh://192.0.2.9/', says: 'scheme', isFatal: true },
    ],
    valid: 'redfish-virtualmedia://192.0.2.9/redfish/v1/Systems/1',
  },
  'a kernel argument': {
    isValue: true,
    uses: [
      'iso kargs modify --append',
      'iso customize --live-karg-append',
      'iso create --karg',
      'pxe kargs --append',
    ],
    faults: [
      { title: 'an open quote', input: 'a="b', says: 'quote', isFatal: true },
      {
        title: 'a root filesystem from another server than the initramfs supports',
        input: 'coreos.live.rootfs_url=ftp://192.0.2.1/rootfs.img',
        says: 'unsupported URL scheme ftp',
        isFatal: true,
      },
    ],
    valid: 'sshkey="ssh-ed25519 AAAA a@b"',
  },
  'an SSH key': {
    setting: 'host.sshKeys',
    uses: ['render --ssh-key'],
    faults: [
      {
        title: 'a private key',
        input: '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n',
        says: 'private key',
        isFatal: true,
      },
      { title: 'no key', input: 'a b\n', says: /key/, isFatal: true },
      {
        title: 'a truncated key',
        input: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9z a@b\n',
        says: 'the key is truncated',
        isFatal: true,
      },
    ],
    valid: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a@b\n',
  },
  'a pull secret': {
    setting: 'agent.pullSecret',
    uses: ['render --pull-secret'],
    faults: [
      { title: 'no JSON', input: '{"auths": ', says: /JSON/, isFatal: true },
      { title: 'no logins', input: '{"auth": "dTpw"}', says: 'auths', isFatal: true },
    ],
    valid: '{"auths": {"registry.example.com": {"auth": "dTpw"}}}',
  },
  'a registries.conf': {
    setting: 'agent.registriesConf',
    uses: ['render --registries-conf'],
    faults: [
      { title: 'no TOML', input: '[[registry]\n', says: 'not TOML', isFatal: true },
      {
        title: 'a registry without a location',
        input: '[[registry]]\ninsecure = true\n',
        says: /location|prefix/,
        isFatal: true,
      },
    ],
    valid: '[[registry]]\nlocation = "registry.example.com"\n',
  },
  'hardware data': {
    uses: [
      'deploy baremetalhost --hardware',
      'deploy node --hardware',
      'prepare --hardware',
      'validate --hardware',
    ],
    faults: [
      { title: 'an inventory', input: inventoryOf(), says: 'contains no hardware data', isFatal: true },
      { title: 'no YAML', input: '{a: [', says: /input:1/, isFatal: true },
    ],
    valid:
      '{"interfaces": [{"name": "eno1", "mac_address": "52:54:00:00:00:01"}], "disks": [{"name": "/dev/sda", "size": 9999999999}]}',
  },
  'a live ISO': {
    uses: [
      'iso ignition embed ISO',
      'iso network embed ISO',
      'iso customize ISO',
      'iso kargs modify ISO',
      'iso reset ISO',
      'prepare --iso',
      'serve --iso',
      'boot --iso',
    ],
    faults: [
      { title: 'a text', input: 'not found\n', says: /input/, isFatal: true },
      { title: 'an empty file', input: '', says: /empty|incomplete|damaged|CoreOS|ISO/, isFatal: true },
    ],
    valid: '',
  },
  'a kernel': {
    uses: ['iso create --kernel', 'prepare --kernel', 'serve --kernel'],
    faults: [
      { title: 'a text', input: 'not found\n', says: 'input is not a kernel', isFatal: true },
      { title: 'an empty file', input: '', says: 'input is empty', isFatal: true },
    ],
    valid: '',
  },
  'an initramfs': {
    uses: ['iso create --initrd', 'prepare --initramfs', 'serve --initramfs'],
    faults: [
      { title: 'a text', input: 'not found\n', says: 'input is not an initramfs', isFatal: true },
      { title: 'an empty file', input: '', says: 'input is empty', isFatal: true },
    ],
    valid: '',
  },
  'a root filesystem': {
    uses: ['iso create --rootfs', 'prepare --rootfs', 'serve --rootfs'],
    faults: [
      { title: 'a text', input: 'not found\n', says: 'input is not a root filesystem', isFatal: true },
      { title: 'an empty file', input: '', says: 'input is empty', isFatal: true },
    ],
    valid: '',
  },
  'the URL of the root filesystem': {
    isValue: true,
    uses: ['pxe kargs --rootfs-url', 'iso extract minimal-iso --rootfs-url'],
    faults: [
      {
        title: 'an unsupported scheme',
        input: 'ftp://192.0.2.1/rootfs.img',
        says: 'unsupported URL scheme ftp',
        isFatal: true,
      },
      { title: 'no scheme', input: '192.0.2.1/rootfs.img', says: /scheme/, isFatal: true },
    ],
    valid: 'http://192.0.2.1/rootfs.img',
  },
};

/** Options whose value has a kind of its own, with checks in the tests of its commands. */
const others = new Set(
  [
    // Where and how the program writes, prints and serves.
    '--color --ignore --output --output-dir --output-rootfs --directory --format --mode --group --bundle --log --save --ca-out',
    '--listen --public-url --serve-listen --tls-cert --tls-key --tls-name --client-ca --key-file --token-file --expires --serve-url',
    '--max-connections --idle-timeout --grace --cache --images-bind-addr --images-publish-addr --metrics-addr --kubeconfig',
    '--namespace --lease --drain-time --settings --parallel --timeout --shutdown-timeout --until --require-step --expect',
    '--console-log --ask-back --guest-host --accel --memory --firmware --boot --once --fetch-retries --gpg-keyring',
    // What it does, and for whom.
    '--profile --artifacts --layout --method --inventory --host --show-network --name --node --step --to --lint --ipa-version --stream --architecture',
    '--platform --image-url --sha256 --stream-base-url --mac --boot-mac --arch --label --root-device --spec',
    '--user-data-name --bmc-credentials-name --deploy-interface --inspect-interface --boot-interface --dhcp --dhcp-range',
    '--prepare-image --credentials --config-drive --image-checksum --image-format',
    // Settings of the agent: test/commands/render and test/hosts/settings.
    '--api-url --inspection-callback-url --inspector --inspector-url --ironic-url --agent-image --pull-policy --archive-url --option',
    '--vlan-interfaces --podman-arg --podman-pull-arg --ssh-key --password-hash --console --hostname',
    '--install-ip-options --ntp-server --nmstatectl --http-proxy --https-proxy --no-proxy --file --unit --conf --hardware-manager',
    '--registry --tls --pull-secret --registries-conf --discovery',
    // Kernel arguments and URLs: test/kargs and test/cli/wrongValues.test.ts.
    '--delete --replace --append-karg --dest-karg-append --dest-karg-delete --live-karg-delete',
    '--live-karg-replace --kernel-append-params --ip --ipa --dest-console --dest-device --base-url --kernel-url --initramfs-url',
    '--ignition-url --image-source --boot-iso --deploy-iso --deploy-kernel --deploy-ramdisk --live-iso',
    // Images: test/cli/swappedInputs.test.ts.
    '--iso --kernel --initrd --initramfs --rootfs --images --agent-archive --initrd-file --initrd-archive --iso-file --isolinux',
    '--ldlinux --isohybrid-mbr --efi-image --grub-config --qemu --nmstate-dir --installer-config',
    // Local files of Butane: test/butane and test/cli/butane.test.ts.
    '--files-dir',
  ].flatMap((line) => line.split(' ')),
);

/** Other commands that take an input: `try` and `boot` by an option that has a kind in another command. */
const otherUses = new Set(['boot --ca-file', 'preflight --ca-file']);

const inventoryFlags = ['--inventory', 'inv.yaml'];
const prepared = [...inventoryFlags, '--base-url', 'http://192.0.2.1', '-o', 'out'];
const served = [...inventoryFlags, '--fail-fast', '--listen', '127.0.0.1:0'];
const created = ['-o', 'out', '--isolinux', 'isolinux.bin', '--ldlinux', 'ldlinux.c32'];

/** What a command needs besides; `out` is a file that must not appear. */
const needed: Readonly<Record<string, readonly string[]>> = {
  validate: [],
  render: ['--api-url', 'https://192.0.2.1', '--agent-image', agent, '--no-ssh-key', '-o', 'out'],
  'iso ignition embed': ['-o', 'out', 'a.iso'],
  'iso customize': ['-o', 'out', 'a.iso'],
  'iso customize --dest-ignition': ['--dest-device', '/dev/sda', '-o', 'out', 'a.iso'],
  'iso customize --pre-install': ['--dest-device', '/dev/sda', '-o', 'out', 'a.iso'],
  'iso customize --post-install': ['--dest-device', '/dev/sda', '-o', 'out', 'a.iso'],
  'pxe ignition wrap': ['-o', 'out'],
  'pxe customize': ['-o', 'out', 'a.img'],
  'pxe customize --dest-ignition': ['--dest-device', '/dev/sda', '-o', 'out', 'a.img'],
  'pxe customize --pre-install': ['--dest-device', '/dev/sda', '-o', 'out', 'a.img'],
  'pxe customize --post-install': ['--dest-device', '/dev/sda', '-o', 'out', 'a.img'],
  'iso network embed': ['-o', 'out', 'a.iso'],
  'pxe network wrap': ['-o', 'out'],
  'pxe kargs': ['--base-url', 'http://192.0.2.1', '--embedded', '--static', '-o', 'out'],
  'deploy steps': ['--config-drive', 'drive.json', '-o', 'out'],
  'deploy configdrive': ['-o', 'out'],
  'deploy baremetalhost': [
    '--name',
    'a',
    '--boot-mac',
    '52:54:00:00:00:01',
    '--root-device',
    'deviceName=/dev/sda',
    '--bmc-address',
    'redfish://192.0.2.9/redfish/v1/Systems/1',
    '--bmc-credentials-name',
    'bmc',
    '-o',
    'out',
  ],
  'deploy baremetalhost --bmc-address':
    '--name a --boot-mac 52:54:00:00:00:01 --root-device deviceName=/dev/sda --bmc-credentials-name bmc -o out'.split(
      ' ',
    ),
  'deploy node --hardware':
    '--name a --boot-mac 52:54:00:00:00:01 --bmc-address redfish://192.0.2.9/redfish/v1/Systems/1 -o out'.split(
      ' ',
    ),
  'deploy node': ['--name', 'a', '--boot-mac', '52:54:00:00:00:01', '-o', 'out'],
  boot: ['--iso', 'a.iso', '--check', '--timeout', '1s'],
  'pxe kargs --append': ['--base-url', 'http://192.0.2.1', '--embedded', '-o', 'out'],
  'pxe kargs --rootfs-url': ['--embedded', '-o', 'out'],
  'iso kargs modify': ['-o', 'out', 'a.iso'],
  'iso create': [
    '-k',
    'kernel',
    '-i',
    'a.img',
    '-o',
    'out',
    '--isolinux',
    'isolinux.bin',
    '--ldlinux',
    'ldlinux.c32',
  ],
  'iso extract minimal-iso': ['packed.iso', 'out'],
  'render --ssh-key': ['--api-url', 'https://192.0.2.1', '--agent-image', agent, '-o', 'out'],
  'iso ignition embed ISO': ['-i', 'other.ign', '-o', 'out'],
  'iso network embed ISO': ['-k', 'other.nmconnection', '-o', 'out'],
  'iso customize ISO': ['--live-ignition', 'other.ign', '-o', 'out'],
  'iso kargs modify ISO': ['-a', 'a=b', '-o', 'out'],
  'iso reset ISO': ['-o', 'out'],
  'boot --iso':
    '--bmc redfish-virtualmedia://192.0.2.9/redfish/v1/Systems/1 --credentials login --check --timeout 1s'.split(
      ' ',
    ),
  'validate --hardware': ['inv.yaml'],
  'prepare --hardware': [...inventoryFlags, '--artifacts', 'ign', '-o', 'out'],
  'prepare --iso': prepared,
  'prepare --kernel': [...prepared, '--initramfs', 'a.img', '--rootfs', 'rootfs'],
  'prepare --initramfs': [...prepared, '--kernel', 'kernel', '--rootfs', 'rootfs'],
  'prepare --rootfs': [...prepared, '--kernel', 'kernel', '--initramfs', 'a.img'],
  'serve --iso': served,
  'serve --kernel': [...served, '--initramfs', 'a.img', '--rootfs', 'rootfs'],
  'serve --initramfs': [...served, '--kernel', 'kernel', '--rootfs', 'rootfs'],
  'serve --rootfs': [...served, '--kernel', 'kernel', '--initramfs', 'a.img'],
  'iso create --kernel': [...created, '-i', 'a.img'],
  'iso create --initrd': [...created, '-k', 'kernel'],
  'iso create --rootfs': [...created, '-k', 'kernel', '-i', 'a.img'],
  'ignition translate': ['--to', '3.5.0', '-o', 'out'],
  'ignition merge': ['-o', 'out'],
};

/** The commands that read an image, with `IMAGE` in its place, and what this image is. */
const imageCommands: readonly (readonly [line: string, file: string])[] = [
  ['inspect IMAGE', 'embedded.iso'],
  ['iso ignition show IMAGE', 'embedded.iso'],
  ['iso ignition embed -i other.ign -o - IMAGE', 'a.iso'],
  ['iso ignition remove -o - IMAGE', 'embedded.iso'],
  ['iso network extract IMAGE', 'embedded.iso'],
  ['iso network embed -k other.nmconnection -o - IMAGE', 'a.iso'],
  ['iso network remove -o - IMAGE', 'embedded.iso'],
  ['iso kargs show IMAGE', 'a.iso'],
  ['iso kargs modify -a x -o - IMAGE', 'a.iso'],
  ['iso kargs reset -o - IMAGE', 'a.iso'],
  ['iso customize --live-ignition other.ign -o - IMAGE', 'a.iso'],
  ['iso reset -o - IMAGE', 'embedded.iso'],
  ['iso extract minimal-iso IMAGE -', 'packed.iso'],
  ['iso create --kernel kernel --initrd IMAGE --isolinux isolinux.bin --ldlinux ldlinux.c32 -o -', 'a.img'],
  ['iso create --kernel IMAGE --initrd a.img --isolinux isolinux.bin --ldlinux ldlinux.c32 -o -', 'kernel'],
  ['inspect IMAGE', 'wrapped.img'],
  ['pxe customize --live-ignition other.ign -o - IMAGE', 'a.img'],
  ['pxe ignition unwrap IMAGE', 'wrapped.img'],
  ['pxe network unwrap IMAGE', 'wrapped.img'],
];

let cwd: string;
/** A full ISO that contains the data of its minimal ISO. */
let packed: Uint8Array;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'input kinds '));
  packed = await packedIso();
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const optionsBelow = (command: Command, parents: readonly string[] = []): string[] =>
  command.commands.flatMap((child) => {
    const words = [...parents, child.name()];
    const options = child.options.filter(({ flags }) => flags.includes('<')).map(({ long }) => long ?? '');
    return [...options.map((option) => [...words, option].join(' ')), ...optionsBelow(child, words)];
  });

it('has each option of each command', () => {
  const uses = new Set(Object.values(kinds).flatMap((kind) => kind.uses));
  const missing = optionsBelow(wholeProgram()).filter((name) => {
    return !uses.has(name) && !otherUses.has(name) && !others.has(name.split(' ').at(-1) ?? '');
  });
  expect(missing).toEqual([]);
});

/** The arguments of a use with an input. */
function argumentsOf(name: string, value: string): readonly string[] {
  const words = name.split(' ');
  const last = words.at(-1) ?? '';
  const command = words.slice(0, -1);
  const rest = needed[name] ?? needed[command.join(' ')] ?? [];
  if (last.startsWith('--')) return [...command, last, value, ...rest];
  return [
    ...command,
    ...rest,
    ...(last === 'CHILD' ? ['other.ign', value] : last === 'PARENT' ? [value, 'other.ign'] : [value]),
  ];
}

/** An inventory of one host, with a setting that names the input. */
function inventoryOf(setting?: string): string {
  const takesList = ['host.keyfiles', 'host.sshKeys', 'ironic.caFiles', 'ignition.merge'].includes(
    setting ?? '',
  );
  const given = setting === undefined ? '' : `, ${setting}: ${takesList ? '[input]' : 'input'}`;
  return `agent: {ironic.apiUrls: https://192.0.2.1, agent.image: ${agent}${given}}\nhosts: [{name: a, mac: '52:54:00:00:00:01'}]\n`;
}

async function writeFiles(more: Readonly<Record<string, string>>): Promise<void> {
  const files = {
    'a.iso': liveIso('2023-07'),
    'a.img': liveInitrd,
    'packed.iso': packed,
    'other.ign': config({}),
    kernel,
    'isolinux.bin': isolinux,
    'ldlinux.c32': ldlinux,
    rootfs: liveRootfs,
    'other.nmconnection': keyfile('[ipv4]', 'method=auto'),
    'inv.yaml': inventoryOf(),
    login: 'username: admin\npassword: secret\n',
    ...more,
  };
  for (const [file, data] of Object.entries(files)) await writeFile(join(cwd, file), data);
}

async function use(name: string, kind: Kind, input: string) {
  await writeFiles({ [kind.file ?? 'input']: input });
  await rm(join(cwd, 'out'), { recursive: true, force: true });
  const words = argumentsOf(name, kind.isValue ? input : (kind.file ?? 'input'));
  const result = await runCli(words, { cwd });
  // `prepare` creates its folder before it reads the images.
  const isWritten = (await readdir(cwd, { recursive: true })).some((file) =>
    words.includes('prepare') ? file.startsWith(join('out', 'hosts')) : file === 'out',
  );
  return { ...result, isWritten, text: `${result.stdout}${result.stderr}` };
}

/** Commands that read the settings of hosts. */
const inventoryUses = [
  'render --inventory settings.yaml -o out',
  'prepare --inventory settings.yaml --iso a.iso --base-url http://192.0.2.1 -o out',
  'serve --inventory settings.yaml --iso a.iso --fail-fast --listen 127.0.0.1:0',
];

describe.each(Object.entries(kinds))('%s', (_name, kind) => {
  it.each(kind.uses.flatMap((name) => kind.faults.map((fault) => ({ name, fault, title: fault.title }))))(
    '$name: $title',
    async ({ name, fault }) => {
      const { code, isWritten, text } = await use(name, kind, fault.input);
      expect(text).toMatch(fault.says);
      expect({ text, isRefused: code !== 0, isWritten: isWritten && fault.isFatal }).toEqual({
        text,
        isRefused: fault.isFatal,
        isWritten: false,
      });
    },
  );

  it.each(kind.setting === undefined ? [] : kind.faults)('$title: in an inventory', async (fault) => {
    // A service without a fatal fault would go on.
    for (const line of inventoryUses.filter((each) => fault.isFatal || !each.startsWith('serve'))) {
      await writeFile(join(cwd, 'input'), fault.input);
      await writeFile(join(cwd, 'settings.yaml'), inventoryOf(kind.setting));
      await writeFile(join(cwd, 'a.iso'), liveIso('2023-07'));
      await rm(join(cwd, 'out'), { recursive: true, force: true });
      const { code, stderr, stdout } = await runCli(line.split(' '), { cwd });
      const text = `${stdout}${stderr}`;
      expect(text).toMatch(fault.says);
      expect({ line, text, isRefused: code !== 0 }).toEqual({ line, text, isRefused: fault.isFatal });
    }
  });

  it.each(kind.valid === '' ? [] : kind.uses)('%s: a valid one', async (name) => {
    const { code, text } = await use(name, kind, kind.valid);
    // No BMC is there; the address is not what is wrong.
    const isAccepted = code === 0 || text.includes('no credentials for the BMC of 192.0.2.9');
    expect({ text, isAccepted }).toEqual({ text, isAccepted: true });
  });
});

describe(`an image from a named pipe, a URL and standard input is that of a file${oracleNote('mkfifo')}`, () => {
  beforeAll(async () => {
    await writeFiles({});
    const run = async (line: string): Promise<Buffer> => (await runCli(line.split(' '), { cwd })).stdoutBytes;
    await writeFile(join(cwd, 'embedded.iso'), liveIso('2023-07'));
    await run('iso ignition embed -i other.ign embedded.iso');
    await run('iso network embed -k other.nmconnection embedded.iso');
    const archives = [
      await run('pxe ignition wrap -i other.ign'),
      await run('pxe network wrap -k other.nmconnection'),
    ];
    await writeFile(join(cwd, 'wrapped.img'), Buffer.concat([liveInitrd, ...archives]));
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
  });

  it.skipIf(!have('mkfifo')).each(imageCommands)('%s (%s)', async (line, file) => {
    const content = await readFile(join(cwd, file));
    const server = await startImageServer();
    server.files.set(`/${file}`, { content });
    const run = async (source: string, name: string): Promise<readonly [code: number, stdout: string]> => {
      const words = line.split(' ').map((word) => (word === 'IMAGE' ? source : word));
      const writing = source === 'pipe' ? writeFile(join(cwd, 'pipe'), content) : undefined;
      const options = {
        cwd,
        env: { SOURCE_DATE_EPOCH: '1700000000' },
        ...(source === '-' && { stdin: content }),
      };
      const { code, stdoutBytes } = await runCli(words, options);
      await writing;
      const text = stdoutBytes.toString('latin1');
      return [code, text.startsWith(name) ? text.slice(name.length) : text];
    };
    const [code, stdout] = await run(file, file);
    expect(code).toBe(0);
    const url = `${server.origin}/${file}`;
    for (const [source, name] of [
      ['pipe', 'pipe'],
      [url, url],
      ['-', 'standard input'],
    ] as const) {
      const [itsCode, itsStdout] = await run(source, name);
      expect([source, itsCode, itsStdout === stdout]).toEqual([source, 0, true]);
    }
    await server.close();
  });

  it.skipIf(!have('mkfifo'))(
    'boot, which reads it several times, refuses a pipe and does not wait',
    async () => {
      const address = 'redfish-virtualmedia://192.0.2.9/redfish/v1/Systems/1';
      const args = [
        'boot',
        '--iso',
        'pipe',
        '--bmc',
        address,
        '--credentials',
        'login',
        '--check',
        '--timeout',
        '1s',
      ];
      const { code, stderr } = await runCli(args, { cwd });
      expect([code, stderr]).toEqual([1, expect.stringContaining('error: pipe is not seekable\nhint: ')]);
    },
  );
});
