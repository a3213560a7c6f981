/** What there is on this machine to emulate another one with: QEMU, virtualization by the kernel, firmware for UEFI. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { CliError } from '../../core/errors.ts';
import type {
  Accelerator,
  Firmware,
  FirmwareFile,
  MachineArchitecture,
} from '../timeline/machineArguments.ts';
import { findProgram, isProgram } from '../../io/findProgram.ts';
import type { Io } from '../../io/io.ts';

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
