/**
 * The emulated machine of `try --qemu`, as QEMU's command line says it. It has no disk, so there is none to write to:
 * a processor, memory, a network card behind QEMU's own address translation, a serial console, and what it boots from.
 */

import type { GuestNetwork } from './addresses.ts';

export type MachineArchitecture = 'x86_64' | 'aarch64';

/** What runs the processor: the kernel's virtualization, or QEMU itself, which takes some ten times as long. */
export type Accelerator = 'kvm' | 'hvf' | 'tcg';

export type Firmware =
  | { readonly kind: 'bios' }
  | {
      readonly kind: 'uefi';
      readonly code: FirmwareFile;
      /** What a machine keeps its settings in. Each start begins with what is in the file, which stays as it is. */
      readonly variables: FirmwareFile;
    };

export interface FirmwareFile {
  readonly path: string;
  readonly format: 'raw' | 'qcow2';
}

/** Where the machine boots from. */
export type Medium =
  /** A live ISO in a CD drive. */
  | { readonly kind: 'cd'; readonly path: string }
  /** One that is read piece by piece over HTTP, as a BMC does for virtual media. */
  | { readonly kind: 'cd-url'; readonly url: string }
  /** DHCP names the script; the network card's own iPXE fetches it. */
  | { readonly kind: 'network'; readonly scriptUrl: string };

export interface MachinePlan {
  readonly architecture: MachineArchitecture;
  readonly accelerator: Accelerator;
  readonly firmware: Firmware;
  /** Mebibytes. */
  readonly memory: number;
  readonly mac: string;
  readonly network: GuestNetwork;
  readonly medium: Medium;
}

/** The file descriptor at which QEMU takes commands and tells events (QMP): a socket that it inherits. */
const CONTROL_DESCRIPTOR = 3;

type Option = readonly [name: string, value: string];

/** What to start QEMU with: the console is on its standard output. */
export function machineArguments(plan: MachinePlan): string[] {
  const { accelerator, architecture, firmware, mac, medium, memory, network } = plan;
  const options: readonly Option[] = [
    ['display', 'none'],
    ['machine', machines[architecture]],
    ['accel', accelerator],
    ['cpu', processorOf(plan)],
    ['smp', '2'],
    ['m', `${memory}M`],
    ...graphics[architecture],
    ...firmwareOptions(firmware),
    ...mediumOptions(medium, architecture),
    ['netdev', networkBackend(network, medium)],
    ['device', networkCard(mac, medium)],
    ['device', 'virtio-rng-pci'], // without it, a machine that has just started waits for randomness
    ['chardev', 'stdio,id=console,signal=off'],
    ['serial', 'chardev:console'],
    ['chardev', `socket,id=control,fd=${CONTROL_DESCRIPTOR}`],
    ['mon', 'chardev=control,mode=control'],
  ];
  return ['-nodefaults', '-no-user-config', ...options.flatMap(([name, value]) => [`-${name}`, value])];
}

const machines: Readonly<Record<MachineArchitecture, string>> = { x86_64: 'pc', aarch64: 'virt' };

/** Boot loaders of x86_64 look for a screen, though nobody sees it. */
const graphics: Readonly<Record<MachineArchitecture, readonly Option[]>> = {
  x86_64: [['vga', 'std']],
  aarch64: [],
};

/**
 * As capable as it can be: RHEL does not start on less than x86-64-v2. The one feature is left out that nested
 * virtualization often promises and does not have.
 */
function processorOf({ accelerator, architecture }: MachinePlan): string {
  const model = accelerator === 'tcg' ? 'max' : 'host';
  return architecture === 'x86_64' && accelerator === 'kvm' ? `${model},arch-capabilities=off` : model;
}

function firmwareOptions(firmware: Firmware): Option[] {
  if (firmware.kind === 'bios') return [];
  return [
    ['drive', `if=pflash,unit=0,readonly=on,${flashFile(firmware.code)}`],
    ['drive', `if=pflash,unit=1,snapshot=on,${flashFile(firmware.variables)}`],
  ];
}

function flashFile({ path, format }: FirmwareFile): string {
  return `format=${format},file=${escapeCommas(path)}`;
}

function mediumOptions(medium: Medium, architecture: MachineArchitecture): Option[] {
  if (medium.kind === 'network') return [];
  // A path is never taken for a protocol: `nbd:...` is a file, too.
  const source =
    medium.kind === 'cd'
      ? `file.driver=file,file.filename=${escapeCommas(medium.path)}`
      : `file=${escapeCommas(medium.url)}`;
  const image = `if=none,id=cd,media=cdrom,readonly=on,format=raw,${source}`;
  return [['drive', image], ...drives[architecture]];
}

const drives: Readonly<Record<MachineArchitecture, readonly Option[]>> = {
  x86_64: [['device', 'ide-cd,drive=cd,bootindex=0']],
  aarch64: [
    ['device', 'virtio-scsi-pci'],
    ['device', 'scsi-cd,drive=cd,bootindex=0'],
  ],
};

function networkBackend({ net, host, dns, firstLease }: GuestNetwork, medium: Medium): string {
  const addresses = `net=${net},host=${host},dns=${dns},dhcpstart=${firstLease}`;
  const boot = medium.kind === 'network' ? `,bootfile=${escapeCommas(medium.scriptUrl)}` : '';
  return `user,id=net,${addresses}${boot}`;
}

/** Of a machine that boots from a CD, the card is not to boot from the network before. */
function networkCard(mac: string, { kind }: Medium): string {
  return `virtio-net-pci,netdev=net,mac=${mac},${kind === 'network' ? 'bootindex=0' : 'romfile='}`;
}

/** In the options of QEMU, a comma that is meant is written twice. */
function escapeCommas(text: string): string {
  return text.replaceAll(',', ',,');
}
