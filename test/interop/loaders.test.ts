/**
 * Prepared folders, served as in a machine room by dnsmasq and a plain HTTP server, and machines in QEMU that boot from
 * them by the loaders as Debian builds them.
 */

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mtoolsImage } from '../support/fatImage.ts';
import { dhcpServers } from '../../src/kargs/dhcpServers.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { type Dhcp, openBootNetwork, serverAddress, serverAddress6 } from './loaders/bootNetwork.ts';
import { bootMachine, type Firmware } from './loaders/machine.ts';
import { type Architecture, makeRamdisk, packagedFile } from './loaders/ramdisk.ts';

const known = '52:54:00:12:34:56';
const unknown = '52:54:00:12:34:99';

/** Loaders by their names in the served folder, in addition to those that dnsmasq.conf asks for. */
const loaders = {
  'lpxelinux.0': '/usr/lib/PXELINUX/lpxelinux.0',
  'ldlinux.c32': '/usr/lib/syslinux/modules/bios/ldlinux.c32',
  'grubnetx64.efi': '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed',
  'shimx64.efi': '/usr/lib/shim/shimx64.efi.signed',
  'grubx64.efi': '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed',
};

/** Those that dnsmasq.conf asks for. */
const ipxeLoaders = {
  'undionly.kpxe': '/usr/lib/ipxe/undionly.kpxe',
  'snponly-x86_64.efi': '/usr/lib/ipxe/snponly.efi',
};

const grubModules = '/usr/lib/grub/x86_64-efi';

/** How dnsmasq is configured, or another DHCP server. */
const servers = {
  pxelinux: { kind: 'lines', lines: 'dhcp-boot=lpxelinux.0\n' },
  grub: { kind: 'lines', lines: 'dhcp-boot=grubnetx64.efi\n' },
  shim: { kind: 'lines', lines: 'dhcp-boot=shimx64.efi\n' },
  'grub, aarch64': { kind: 'lines', lines: 'dhcp-boot=grubnetaa64.efi\n' },
  printed: { kind: 'printed' },
  proxy: { kind: 'printed, proxy' },
  kea: { kind: 'kea' },
  isc: { kind: 'isc' },
} as const satisfies Record<string, Dhcp>;

const range = ['--dhcp-range', '10.77.0.100,10.77.0.200'];
const range6 = ['--dhcp-range', 'fd00:77::100,fd00:77::200'];

/** Folders, by how hosts get their config, and their address: in proxy mode from another DHCP server. */
const deliveries = {
  archive: { configs: 'archive,ign', address: serverAddress, dhcp: range },
  ign: { configs: 'ign', address: serverAddress, dhcp: range },
  proxy: { configs: 'ign', address: serverAddress, dhcp: [] },
  ipv6: { configs: 'ign', address: `[${serverAddress6}]`, dhcp: range6 },
  kea: { configs: 'ign', address: serverAddress, dhcp: [...range, '--dhcp', 'kea'] },
  isc: { configs: 'ign', address: serverAddress, dhcp: [...range, '--dhcp', 'isc'] },
  /** With shim and GRUB of a live ISO. */
  loaders: { configs: 'archive,ign', address: serverAddress, dhcp: range },
} as const;
type Delivery = keyof typeof deliveries;

interface Boot {
  readonly title: string;
  readonly firmware: Firmware;
  readonly loading: keyof typeof servers;
  /** What the servers log where it is this loader and no other one. */
  readonly sign: RegExp;
  readonly delivery: Delivery;
  readonly mac: string;
  /** What the console shows at last of a boot that does not go on to the kernel. */
  readonly ends?: RegExp;
}

const pxelinux = { firmware: 'bios-ipxe', loading: 'pxelinux', sign: /sent .*lpxelinux\.0 to/ } as const;
const ipxe = {
  firmware: 'bios-ipxe',
  loading: 'printed',
  sign: /bootfile.name:? +http:\/\/10\.77\.0\.1\/boot\.ipxe/,
} as const;
const bios = { firmware: 'bios', loading: 'printed', sign: /sent .*undionly\.kpxe to/ } as const;
const chained = { firmware: 'uefi', loading: 'printed', sign: /sent .*snponly-x86_64\.efi to/ } as const;
const chained6 = {
  firmware: 'uefi-ipv6',
  loading: 'printed',
  sign: /sent .*snponly-x86_64\.efi to fd00:/,
} as const;
const httpBoot = { firmware: 'uefi-http', loading: 'printed', sign: /vendor class: HTTPClient/ } as const;
const grub = { firmware: 'uefi', loading: 'grub', sign: /sent .*grubnetx64\.efi to/ } as const;
const shim = { firmware: 'uefi', loading: 'printed', sign: /sent .*grub\/grubx64\.efi to/ } as const;
const grubOnArm = {
  firmware: 'aarch64',
  loading: 'grub, aarch64',
  sign: /sent .*grubnetaa64\.efi to/,
} as const;

/** The boot files of Kea and dhcpd, which do not log them, by what machines ask the other servers for. */
const byClasses = [
  ['iPXE of the network card', 'bios-ipxe', /url:\/boot\.ipxe/],
  ['iPXE by PXE of BIOS', 'bios', /sent .*undionly\.kpxe to/],
  ['iPXE by PXE of UEFI', 'uefi', /sent .*snponly-x86_64\.efi to/],
  ['iPXE by HTTP boot of UEFI', 'uefi-http', /url:\/snponly-x86_64\.efi/],
] as const;

const x86Boots: readonly Boot[] = [
  ...dhcpServers.flatMap((server) =>
    byClasses.map(([title, firmware, sign]): Boot => {
      return { title: `${title}, ${server}`, firmware, sign, loading: server, delivery: server, mac: known };
    }),
  ),
  { title: 'PXELINUX, by MAC address', ...pxelinux, delivery: 'archive', mac: known },
  { title: 'PXELINUX, by MAC address, config by URL', ...pxelinux, delivery: 'ign', mac: known },
  { title: 'PXELINUX, by default', ...pxelinux, delivery: 'archive', mac: unknown },
  { title: 'iPXE of the network card', ...ipxe, delivery: 'archive', mac: known },
  { title: 'iPXE of the network card, unknown', ...ipxe, delivery: 'ign', mac: unknown },
  { title: 'iPXE of the network card, proxy', ...ipxe, loading: 'proxy', delivery: 'proxy', mac: known },
  { title: 'iPXE by PXE of BIOS', ...bios, delivery: 'ign', mac: known },
  { title: 'iPXE by PXE of BIOS, proxy', ...bios, loading: 'proxy', delivery: 'proxy', mac: known },
  { title: 'iPXE by PXE of UEFI', ...chained, delivery: 'ign', mac: known },
  { title: 'iPXE by PXE of UEFI, proxy', ...chained, loading: 'proxy', delivery: 'proxy', mac: unknown },
  { title: 'iPXE by PXE of UEFI, IPv6', ...chained6, delivery: 'ipv6', mac: known },
  { title: 'iPXE by HTTP boot of UEFI', ...httpBoot, delivery: 'archive', mac: known },
  { title: 'iPXE by HTTP boot of UEFI, unknown', ...httpBoot, delivery: 'archive', mac: unknown },
  { title: 'GRUB, by MAC address', ...grub, delivery: 'archive', mac: known },
  { title: 'GRUB, by MAC address, config by URL', ...grub, delivery: 'ign', mac: known },
  { title: 'GRUB, unknown', ...grub, delivery: 'archive', mac: unknown },
  { title: 'shim and GRUB of the live ISO', ...shim, delivery: 'loaders', mac: known },
  {
    title: 'shim and GRUB of the live ISO, Secure Boot',
    ...shim,
    firmware: 'uefi-secure',
    delivery: 'loaders',
    mac: known,
  },
  {
    title: 'shim and GRUB of the live ISO by HTTP boot, Secure Boot',
    ...shim,
    firmware: 'uefi-http-secure',
    sign: /url:\/grub\/grubx64\.efi/,
    delivery: 'loaders',
    mac: known,
    // GRUB of Debian does not go on by HTTP, as that of Fedora does (its module efi_netfs).
    ends: /GNU GRUB/,
  },
  { title: 'iPXE by PXE of BIOS, beside shim', ...bios, delivery: 'loaders', mac: known },
  {
    title: 'shim and GRUB of Debian, Secure Boot, as far as GRUB requires HTTP',
    firmware: 'uefi-secure-microsoft',
    loading: 'shim',
    sign: /sent .*\/grubx64\.efi to/,
    delivery: 'archive',
    mac: known,
    ends: /error: disk `http,10\.77\.0\.1' not found/,
  },
];
const armBoots: readonly Boot[] = [
  { title: 'GRUB, by MAC address', ...grubOnArm, delivery: 'archive', mac: known },
  { title: 'GRUB, unknown', ...grubOnArm, delivery: 'ign', mac: unknown },
];

const consoles: Readonly<Record<Architecture, string>> = { x86_64: 'ttyS0', aarch64: 'ttyAMA0' };

/** Prepares a folder for each way of delivery, in which every loader finds its files. */
async function prepareFolders(architecture: Architecture, work: string): Promise<void> {
  mkdirSync(join(work, 'ramdisk'));
  makeRamdisk(architecture, join(work, 'ramdisk'));
  writeFileSync(
    join(work, 'inventory.yaml'),
    `agent: {ironic.apiUrls: https://192.0.2.1, boot.kernelArguments: [console=${consoles[architecture]}]}
hosts:
- {name: worker-0, mac: '${known}', architecture: ${architecture}}
`,
  );
  const parts = ['kernel', 'initramfs', 'rootfs'].flatMap((name) => [
    `--${name}`,
    `${architecture}=ramdisk/${name}`,
  ]);
  for (const [delivery, { address, configs, dhcp }] of Object.entries(deliveries)) {
    const isOfIso = delivery === 'loaders';
    if (isOfIso && architecture !== 'x86_64') continue;
    const images = isOfIso ? ['--iso', await makeLiveIso(work), '--loaders'] : parts;
    const artifacts = ['--artifacts', `${configs},ipxe,grub,pxelinux`, '--discovery'];
    const command = ['prepare', '--inventory', 'inventory.yaml', ...images, ...artifacts, ...dhcp];
    const result = await runCli([...command, '--base-url', `http://${address}`, '-o', delivery], {
      cwd: work,
    });
    if (result.code !== 0) throw new Error(result.stderr);
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: join(work, delivery) });
  }
}

/**
 * A live ISO of the ramdisk, with shim of Debian and a GRUB that has HTTP built in, as that of CoreOS has, in its EFI system
 * partition. They and the kernel are signed with the key that the firmware with Secure Boot has.
 * @returns its name
 */
async function makeLiveIso(work: string): Promise<string> {
  const sbat = join(work, 'sbat.csv');
  writeFileSync(
    sbat,
    'sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\ngrub,5,test,grub,2,https://www.gnu.org/software/grub/\n',
  );
  makeGrub('x86_64', join(work, 'grub.efi'), ['--sbat', sbat]);
  const signed = (path: string): string => signForTests(path, work);
  const files = new Map([
    ['EFI/BOOT/BOOTX64.EFI', readFileSync(signed(loaders['shimx64.efi']))],
    ['EFI/BOOT/grubx64.efi', readFileSync(signed(join(work, 'grub.efi')))],
  ]);
  writeFileSync(join(work, 'efiboot.img'), mtoolsImage(files, 16));
  const parts = [
    '-k',
    signed(join(work, 'ramdisk/kernel')),
    '-i',
    'ramdisk/initramfs',
    '--rootfs',
    'ramdisk/rootfs',
  ];
  const command = ['iso', 'create', '-o', 'live.iso', ...parts, '--efi-image', 'efiboot.img'];
  const result = await runCli(command, { cwd: work });
  if (result.code !== 0) throw new Error(result.stderr);
  return 'live.iso';
}

/** What the machine has to say, by what is on the server. */
function expectedLines(folder: string, { delivery, mac }: Boot): string[] {
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  const ofConfig =
    mac === known ? /^(\S+) .*hosts\/worker-0\/.*config\.ign$/m : /^(\S+) .*discovery\/.*config\.ign$/m;
  const config = ofConfig.exec(sums)?.[1] ?? 'none';
  const rootfs = /^(\S+) .*\.rootfs$/m.exec(sums)?.[1] ?? 'none';
  return [
    deliveries[delivery].configs.startsWith('archive')
      ? `BOOT-CONFIG embedded ${config}`
      : `BOOT-FETCHED ignition.config.url ${config}`,
    `BOOT-FETCHED coreos.live.rootfs_url ${rootfs}`,
    'BOOT-END',
  ];
}

const machines: readonly {
  readonly architecture: Architecture;
  readonly boots: readonly Boot[];
  readonly oracle: string;
}[] = [
  { architecture: 'x86_64', boots: x86Boots, oracle: 'boots by loaders' },
  { architecture: 'aarch64', boots: armBoots, oracle: 'boots on aarch64' },
];

/** Puts the loaders beside the prepared files, as an operator does. */
function addLoaders(architecture: Architecture, folder: string): void {
  if (architecture === 'x86_64') {
    const all = { ...loaders, ...(dhcpServers.some((server) => folder.endsWith(server)) && ipxeLoaders) };
    for (const [name, path] of Object.entries(all)) copyFileSync(path, join(folder, name));
    // This GRUB has no HTTP built in: it loads http.mod, as it may without Secure Boot.
    cpSync(grubModules, join(folder, 'grub/x86_64-efi'), { recursive: true });
    return;
  }
  // Debian has no signed GRUB of another architecture in a package that could be installed here.
  makeGrub('aarch64', join(folder, 'grubnetaa64.efi'));
}

/** Builds GRUB as distributions do, with HTTP. */
function makeGrub(architecture: Architecture, path: string, options: readonly string[] = []): void {
  const platform = { x86_64: 'x86_64-efi', aarch64: 'arm64-efi' }[architecture];
  const modules = 'normal linux tftp http efinet configfile regexp test echo sleep halt boot gzio';
  const place = packagedFile(architecture, `usr/lib/grub/${platform}`) ?? '';
  const output = ['-o', path, '-p', '/grub', ...options];
  execFileSync('grub-mkimage', ['-O', platform, '-d', place, ...output, ...modules.split(' ')]);
}

/** Adds a signature to a program for UEFI. @returns the path of the signed one, in the folder */
function signForTests(path: string, folder: string): string {
  const key = join(folder, 'snakeoil.key');
  const output = join(folder, `signed-${basename(path)}`);
  const published = '/usr/share/ovmf/PkKek-1-snakeoil';
  execFileSync('openssl', ['rsa', '-in', `${published}.key`, '-passin', 'pass:snakeoil', '-out', key], {
    stdio: 'ignore',
  });
  execFileSync('sbsign', ['--key', key, '--cert', `${published}.pem`, '--output', output, path], {
    stdio: 'ignore',
  });
  return output;
}

describe.each(machines)('a machine of $architecture', ({ architecture, boots, oracle }) => {
  let work = '';
  beforeAll(async () => {
    if (!have(oracle)) return;
    work = mkdtempSync(join(tmpdir(), 'loaders-'));
    await prepareFolders(architecture, work);
    for (const delivery of Object.keys(deliveries)) {
      if (existsSync(join(work, delivery))) addLoaders(architecture, join(work, delivery));
    }
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  const titled = boots.map((boot) => [boot.title, boot] as const);
  it.skipIf(!have(oracle)).each(titled)(`boots by %s${oracleNote(oracle)}`, async (_title, boot) => {
    const folder = join(work, boot.delivery);
    const network = await openBootNetwork(folder, servers[boot.loading]);
    try {
      const [first, ...lines] = await bootMachine(network, boot.firmware, boot.mac, boot.ends);
      const commandLine = new RegExp(`BOOTIF=\\S*${boot.mac.replaceAll(':', '[:-]')}`);
      expect({ first, lines, log: network.log() }).toMatchObject({
        first: expect.stringMatching(boot.ends ?? commandLine),
        lines: boot.ends === undefined ? expectedLines(folder, boot) : [],
        log: expect.stringMatching(boot.sign),
      });
    } finally {
      await network.close();
    }
  });
});
