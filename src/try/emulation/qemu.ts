/**
 * The emulated machine of `try --qemu`: what this machine has to emulate it with (QEMU, virtualization by the kernel,
 * firmware for UEFI), and QEMU's command line. It has no disk, so there is none to write to: a processor, memory, a network
 * card behind QEMU's own address translation, a serial console, and what it boots from.
 */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { CliError } from '../../core/errors.ts';
import { findProgram, isProgram } from '../../io/programs.ts';
import type { Io } from '../../io/io.ts';
import type { GuestNetwork } from '../timeline/addresses.ts';

/**
 * The path of QEMU for an architecture. RHEL has it in a place of its own, for the architecture that it runs on.
 * @throws CliError where it is not installed
 */
export async function findQemu(architecture: MachineArchitecture, env: Io['env']): Promise<string> {
  const name = `qemu-system-${architecture}`;
  const found = await findProgram(name, env);
  if (found !== undefined) return found;
  if (architecture === ownArchitecture() && (await isProgram(RHEL_QEMU))) return RHEL_QEMU;
  const debian = architecture === 'x86_64' ? 'qemu-system-x86' : 'qemu-system-arm';
  throw new CliError(`QEMU is not installed: there is no ${name} on PATH`, {
    code: 'ERR_PROGRAM',
    hint: `Debian and Ubuntu: apt install ${debian}; Fedora: dnf install ${name}-core; RHEL: dnf install qemu-kvm`,
  });
}

const RHEL_QEMU = '/usr/libexec/qemu-kvm';

/** The quickest first. That it is there does not mean that it works: nested virtualization may be half there. */
export async function usableAccelerators(architecture: MachineArchitecture): Promise<Accelerator[]> {
  if (architecture !== ownArchitecture()) return ['tcg'];
  if (process.platform === 'darwin') return ['hvf', 'tcg'];
  const isThere = await isAccessible('/dev/kvm', constants.R_OK | constants.W_OK);
  return isThere ? ['kvm', 'tcg'] : ['tcg'];
}

function ownArchitecture(): MachineArchitecture | undefined {
  if (process.arch === 'x64') return 'x86_64';
  return process.arch === 'arm64' ? 'aarch64' : undefined;
}

/** @throws CliError where no firmware is installed that the machine could start with */
export async function findFirmware(
  kind: Firmware['kind'],
  architecture: MachineArchitecture,
): Promise<Firmware> {
  if (kind === 'bios') return { kind };
  for (const [code, variables] of uefiFiles[architecture]) {
    if (!(await isAccessible(code, constants.R_OK)) || !(await isAccessible(variables, constants.R_OK))) {
      continue;
    }
    return { kind, code: firmwareFile(code), variables: firmwareFile(variables) };
  }
  const debian = architecture === 'x86_64' ? 'ovmf' : 'qemu-efi-aarch64';
  const fedora = architecture === 'x86_64' ? 'edk2-ovmf' : 'edk2-aarch64';
  throw new CliError(`there is no UEFI firmware for ${architecture} at the usual places`, {
    code: 'ERR_PROGRAM',
    hint: `Debian and Ubuntu: apt install ${debian}; Fedora and RHEL: dnf install ${fedora}`,
  });
}

/** Program and variables, without Secure Boot: Debian, Fedora and RHEL, Arch, openSUSE, QEMU's own. */
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

function firmwareFile(path: string): FirmwareFile {
  return { path, format: path.endsWith('.qcow2') ? 'qcow2' : 'raw' };
}

async function isAccessible(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

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

interface FirmwareFile {
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
