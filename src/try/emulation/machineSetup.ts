/** What an emulated machine is made of: looked for before anything is started. */

import { CliError, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { findFirmware, findQemu, usableAccelerators } from '../io/qemu.ts';
import type { Accelerator, Firmware, MachineArchitecture } from '../timeline/machineArguments.ts';
import { parseWholeNumber } from '../../serve/numbers.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import type { MachineOptions } from '../options.ts';
import type { MachineChoices } from '../setup.ts';

export interface MachineSetup {
  /** QEMU. */
  readonly program: string;
  readonly firmware: Firmware;
  /** The first that works. */
  readonly accelerators: readonly Accelerator[];
  /** Mebibytes. */
  readonly memory: number;
}

/** The live system is in memory, its root filesystem included, and so is the container image of the agent. */
const DEFAULT_MEMORY = '4096';

/** Throws CliError for what is not installed, UsageError for what no machine can be. */
export async function readMachineSetup(
  { accel, firmware, memory = DEFAULT_MEMORY }: MachineChoices & Pick<MachineOptions, 'memory'>,
  { architecture, medium }: EmulatedSource,
  { env }: Pick<Io, 'env'>,
): Promise<MachineSetup> {
  const isX86 = architecture === 'x86_64';
  const isNetwork = medium.kind === 'folder' || (medium.kind === 'host' && medium.way === 'network');
  if (isNetwork && !isX86) {
    throw new UsageError(`an emulated machine of ${architecture} has no firmware that starts boot scripts`, {
      hint: 'boot it from an ISO: --boot cd, or --qemu IMAGE.iso',
    });
  }
  if (firmware === 'bios' && !isX86) {
    throw new UsageError(`machines of ${architecture} have no BIOS`, { hint: 'use --firmware uefi' });
  }
  return {
    memory: parseWholeNumber(memory, '--memory', { least: 64, most: 1_048_576 }),
    program: await findQemu(architecture, env),
    firmware: await findFirmware(firmware ?? (isX86 ? 'bios' : 'uefi'), architecture),
    accelerators: await chooseAccelerators(accel, architecture),
  };
}

async function chooseAccelerators(
  asked: MachineChoices['accel'],
  architecture: MachineArchitecture,
): Promise<readonly Accelerator[]> {
  const usable = await usableAccelerators(architecture);
  if (asked === undefined) return usable;
  if (usable.includes(asked)) return [asked];
  throw new CliError('KVM cannot be used: there is no /dev/kvm for this user and architecture', {
    hint: 'leave --accel out, or have yourself added to the group kvm',
  });
}
