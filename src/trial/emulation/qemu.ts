/**
 * The emulated machine of `try --qemu`: its requirements (QEMU, virtualization by the kernel, UEFI firmware), and the command
 * line of QEMU. The machine has a processor, memory, a network card with QEMU's address translation, a serial console and a
 * boot medium. It has no disk.
 */

import { constants } from 'node:fs';
import { machineName } from '../../core/architecture.ts';
import { CliError } from '../../core/errors.ts';
import { findProgram, isAccessible, isProgram } from '../../io/programs.ts';
import type { Io } from '../../io/io.ts';
import type { GuestNetwork } from './guestNetwork.ts';

/**
 * The path of QEMU for an architecture. RHEL has QEMU only for its own architecture, and not on PATH.
 * @throws CliError if it is not installed
 */
export async function findQemu(architecture: MachineArchitecture, env: Io['env']): Promise<string> {
  const name = `qemu-system-${architecture}`;
  const found = await findProgram(name, env);
  if (found !== undefined) return found;
  if (architecture === machineName(process.arch) && (await isProgram(RHEL_QEMU))) return RHEL_QEMU;
  const [debian, fedora] =
    architecture === 'x86_64'
      ? ['qemu-system-x86', 'qemu-system-x86-core']
      : ['qemu-system-arm', 'qemu-system-aarch64-core'];
  throw new CliError(`QEMU is not installed: ${name} not found on PATH`, {
    code: 'ERR_PROGRAM',
    hint: `install it: apt install ${debian} (Debian, Ubuntu), dnf install ${fedora} (Fedora), or dnf install qemu-kvm (RHEL)`,
  });
}

const RHEL_QEMU = '/usr/libexec/qemu-kvm';

/** The fastest first: QEMU uses the first one that it can start. */
export async function usableAccelerators(architecture: MachineArchitecture): Promise<Accelerator[]> {
  if (architecture !== machineName(process.arch)) return ['tcg'];
  if (process.platform === 'darwin') return ['hvf', 'tcg'];
  const hasKvm = await isAccessible('/dev/kvm', constants.R_OK | constants.W_OK);
  return hasKvm ? ['kvm', 'tcg'] : ['tcg'];
}

/** @throws CliError if the firmware is not installed */
export async function findFirmware(
  kind: Firmware['kind'],
  architecture: MachineArchitecture,
): Promise<Firmware> {
  if (kind === 'bios') return { kind };
  for (const [code, variables] of uefiFiles[architecture]) {
    const isInstalled =
      (await isAccessible(code, constants.R_OK)) && (await isAccessible(variables, constants.R_OK));
    if (isInstalled) return { kind, code, variables };
  }
  const debian = architecture === 'x86_64' ? 'ovmf' : 'qemu-efi-aarch64';
  const fedora = architecture === 'x86_64' ? 'edk2-ovmf' : 'edk2-aarch64';
  throw new CliError(`UEFI firmware for ${architecture} not found`, {
    code: 'ERR_PROGRAM',
    hint: `install it: apt install ${debian} (Debian, Ubuntu) or dnf install ${fedora} (Fedora, RHEL)`,
  });
}

/** Firmware code and variables without Secure Boot, of Debian, Fedora and RHEL, Arch, openSUSE, and QEMU itself. */
const uefiFiles: Readonly<
  Record<MachineArchitecture, readonly (readonly [code: string, variables: string])[]>
> = {
  x86_64: [
    ['/usr/share/OVMF/OVMF_CODE_4M.fd', '/usr/share/OVMF/OVMF_VARS_4M.fd'],
    ['/usr/share/OVMF/OVMF_CODE.fd', '/usr/share/OVMF/OVMF_VARS.fd'],
    ['/usr/share/edk2/ovmf/OVMF_CODE_4M.qcow2', '/usr/share/edk2/ovmf/OVMF_VARS_4M.qcow2'],
    ['/usr/share/edk2/ovmf/OVMF_CODE.fd', '/usr/share/edk2/ovmf/OVMF_VARS.fd'],
    ['/usr/share/edk2/x64/OVMF_CODE.4m.fd', '/usr/share/edk2/x64/OVMF_VARS.4m.fd'],
    ['/usr/share/qemu/ovmf-x86_64-4m-code.bin', '/usr/share/qemu/ovmf-x86_64-4m-vars.bin'],
    ['/usr/share/qemu/edk2-x86_64-code.fd', '/usr/share/qemu/edk2-i386-vars.fd'],
    ['/opt/homebrew/share/qemu/edk2-x86_64-code.fd', '/opt/homebrew/share/qemu/edk2-i386-vars.fd'],
  ],
  aarch64: [
    ['/usr/share/AAVMF/AAVMF_CODE.fd', '/usr/share/AAVMF/AAVMF_VARS.fd'],
    ['/usr/share/edk2/aarch64/QEMU_EFI-pflash.raw', '/usr/share/edk2/aarch64/vars-template-pflash.raw'],
    ['/usr/share/edk2/aarch64/QEMU_EFI-pflash.qcow2', '/usr/share/edk2/aarch64/vars-template-pflash.qcow2'],
    ['/usr/share/edk2/aarch64/QEMU_CODE.fd', '/usr/share/edk2/aarch64/QEMU_VARS.fd'],
    ['/usr/share/qemu/aavmf-aarch64-code.bin', '/usr/share/qemu/aavmf-aarch64-vars.bin'],
    ['/usr/share/qemu/edk2-aarch64-code.fd', '/usr/share/qemu/edk2-arm-vars.fd'],
    ['/opt/homebrew/share/qemu/edk2-aarch64-code.fd', '/opt/homebrew/share/qemu/edk2-arm-vars.fd'],
  ],
};

export type MachineArchitecture = 'x86_64' | 'aarch64';

/** Virtualization by the kernel, or software emulation by QEMU (`tcg`), which takes about ten times as long. */
export type Accelerator = 'kvm' | 'hvf' | 'tcg';

export type Firmware =
  | { readonly kind: 'bios' }
  | {
      readonly kind: 'uefi';
      readonly code: string;
      /** Template of the firmware variables. QEMU does not change the file. */
      readonly variables: string;
    };

export type Medium =
  /** A live ISO in a CD drive. */
  | { readonly kind: 'cd'; readonly path: string }
  /** A live ISO that is read in ranges over HTTP, like virtual media of a BMC. */
  | { readonly kind: 'cd-url'; readonly url: string }
  /** DHCP returns the URL of the script; iPXE of the network card fetches it. */
  | { readonly kind: 'network'; readonly scriptUrl: string };

interface MachineSetup {
  readonly firmware: Firmware;
  /** In order of preference. */
  readonly accelerators: readonly Accelerator[];
  /** Mebibytes. */
  readonly memory: number;
}

export interface MachinePlan extends MachineSetup {
  readonly architecture: MachineArchitecture;
  readonly mac: string;
  readonly network: GuestNetwork;
  readonly medium: Medium;
}

/** The file descriptor of the inherited socket for QEMU's commands and events (QMP). */
const CONTROL_DESCRIPTOR = 3;

type Option = readonly [name: string, value: string];

/** The arguments of QEMU; its standard output is the console. */
export function machineArguments(plan: MachinePlan): string[] {
  const { accelerators, architecture, firmware, mac, medium, memory, network } = plan;
  // Network boot is disabled if the machine boots from a CD.
  const boot = medium.kind === 'network' ? 'bootindex=0' : 'romfile=';
  const options: readonly Option[] = [
    ['display', 'none'],
    ['machine', machines[architecture]],
    ...accelerators.map((accelerator): Option => ['accel', accelerator]),
    ['cpu', processors[architecture]],
    ['smp', '2'],
    ['m', `${memory}M`],
    ...graphics[architecture],
    ...firmwareOptions(firmware),
    ...mediumOptions(medium, architecture),
    ['netdev', networkBackend(network, medium)],
    ['device', `virtio-net-pci,netdev=net,mac=${mac},${boot}`],
    ['device', 'virtio-rng-pci'], // without it, a starting machine waits for entropy
    ['chardev', 'stdio,id=console,signal=off'],
    ['serial', 'chardev:console'],
    ['chardev', `socket,id=control,fd=${CONTROL_DESCRIPTOR}`],
    ['mon', 'chardev=control,mode=control'],
  ];
  return ['-nodefaults', '-no-user-config', ...options.flatMap(([name, value]) => [`-${name}`, value])];
}

const machines: Readonly<Record<MachineArchitecture, string>> = { x86_64: 'pc', aarch64: 'virt' };

/** Boot loaders of x86_64 require a graphics card, even without a display. */
const graphics: Readonly<Record<MachineArchitecture, readonly Option[]>> = {
  x86_64: [['vga', 'std']],
  aarch64: [],
};

/**
 * The most capable model with any accelerator, because RHEL requires x86-64-v2. `arch-capabilities` is disabled, because nested
 * virtualization often reports it without support for it.
 */
const processors: Readonly<Record<MachineArchitecture, string>> = {
  x86_64: 'max,arch-capabilities=off',
  aarch64: 'max',
};

function firmwareOptions(firmware: Firmware): Option[] {
  if (firmware.kind === 'bios') return [];
  return [
    ['drive', `if=pflash,unit=0,readonly=on,${flashFile(firmware.code)}`],
    ['drive', `if=pflash,unit=1,snapshot=on,${flashFile(firmware.variables)}`],
  ];
}

function flashFile(path: string): string {
  return `format=${path.endsWith('.qcow2') ? 'qcow2' : 'raw'},file=${escapeCommas(path)}`;
}

function mediumOptions(medium: Medium, architecture: MachineArchitecture): Option[] {
  if (medium.kind === 'network') return [];
  // `file.driver` prevents that QEMU interprets a path such as `nbd:...` as a protocol.
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

/** QEMU options separate fields with commas; a literal comma is doubled. */
function escapeCommas(text: string): string {
  return text.replaceAll(',', ',,');
}
