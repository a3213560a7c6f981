/** What `--qemu` names, and what the machine that boots from it is made of: found before anything is started. */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseMacAddress } from '../../core/macAddress.ts';
import { CliError, FormatError, UsageError } from '../../core/errors.ts';
import { detectImageKind } from '../../image/imageKind.ts';
import { findArchitecture } from '../../image/bootParts.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { errorCode, fileError } from '../../io/files/fileErrors.ts';
import { readUserFile } from '../../io/files/files.ts';
import { isRemote } from '../../io/http/httpUrl.ts';
import type { Io } from '../../io/io.ts';
import {
  type Accelerator,
  findFirmware,
  findQemu,
  type Firmware,
  type MachineArchitecture,
  usableAccelerators,
} from './qemu.ts';
import { readImage } from '../../io/images/imageFile.ts';
import { type Manifest, parseManifest } from '../../hosts/artifacts/manifest.ts';
import { MANIFEST } from '../../hosts/artifacts/servedPaths.ts';
import type { ExpectedHost } from '../timeline/machines.ts';
import { parseWholeNumber } from '../../serve/setup.ts';
import type { MachineChoices, MachineOptions, TryOptions } from '../setup.ts';

export interface EmulatedSource {
  readonly medium: BootSource;
  /** Who it is: a host of the inventory, or of the folder, or nobody that is known. */
  readonly host: ExpectedHost;
  readonly mac: string;
  readonly architecture: MachineArchitecture;
}

type BootSource =
  | { readonly kind: 'host'; readonly name: string; readonly way: 'cd' | 'network' }
  /** `source` is a path or a URL. */
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'folder'; readonly path: string; readonly manifest: Manifest };

/** A host as the inventory lists it. */
export interface EmulatedHost extends ExpectedHost {
  readonly architecture?: string | undefined;
}

/** QEMU's own for the first card of a machine. */
const DEFAULT_MAC = '52:54:00:12:34:56';
/** Of the machine, where it has no name of its own. */
const NAMELESS = 'qemu';

/**
 * A host of the inventory goes before a file of the same name.
 * @throws UsageError, CliError where there is neither, or where it is nothing to boot from
 */
export async function readEmulatedSource(
  { mac: givenMac, qemu = '' }: TryOptions,
  { boot, hosts }: { readonly boot: MachineChoices['boot']; readonly hosts: readonly EmulatedHost[] },
  io: Io,
): Promise<EmulatedSource> {
  const own = givenMac === undefined ? undefined : readMac(givenMac);
  const listed = hosts.find(({ name }) => name === qemu);
  if (listed !== undefined) return hostSource(listed, own, boot);
  if (boot !== undefined) {
    throw new UsageError('--boot is for hosts of the inventory, which can be booted in two ways', {
      hint: `images boot from CD, folders over the network; ${JSON.stringify(qemu)} is no host`,
    });
  }
  if (isRemote(qemu)) return imageSource(qemu, own, io);
  const path = resolve(io.cwd, qemu);
  const stats = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' && hosts.length > 0) throw noSuchSource(qemu, hosts);
    throw fileError(error, { path: qemu, what: 'Image (--qemu)', action: 'read' });
  });
  return stats.isDirectory() ? folderSource(path, own, io) : imageSource(qemu, own, io);
}

function noSuchSource(name: string, hosts: readonly EmulatedHost[]): CliError {
  const names = hosts.slice(0, MOST_NAMES).map((host) => host.name);
  const more = hosts.length > MOST_NAMES ? ', …' : '';
  return new CliError(`--qemu ${JSON.stringify(name)} is no host of the inventory, and no file or folder`, {
    code: 'ERR_SETTING',
    hint: `hosts are ${names.join(', ')}${more}`,
  });
}

/** That a message lists. */
const MOST_NAMES = 5;

function readMac(text: string): string {
  const address = parseMacAddress(text);
  if ('mac' in address) return address.mac;
  throw new UsageError(`--mac ${JSON.stringify(text)}: ${address.problem}`, {
    hint: `for example ${DEFAULT_MAC}`,
  });
}

function hostSource(
  listed: EmulatedHost,
  own: string | undefined,
  boot: MachineChoices['boot'] = 'network',
): EmulatedSource {
  const { architecture = 'x86_64', macs, name } = listed;
  const mac = own ?? macs[0] ?? DEFAULT_MAC;
  const host = { name, macs: [...new Set([mac, ...macs])] };
  return {
    medium: { kind: 'host', name, way: boot },
    host,
    mac,
    architecture: emulated(architecture, name),
  };
}

const imageHint = 'give a live ISO, a folder that `prepare` has made, or a host of --inventory';

async function imageSource(image: string, own: string | undefined, io: Io): Promise<EmulatedSource> {
  const mac = own ?? DEFAULT_MAC;
  const architecture = await readImage(image, io, async (bytes) => {
    if ((await detectImageKind(bytes)) !== 'iso')
      throw new FormatError('it is no live ISO', { hint: imageHint });
    return findArchitecture(bytes, await openIsoTree(bytes));
  });
  return {
    medium: { kind: 'image', source: image },
    host: { name: NAMELESS, macs: [mac] },
    mac,
    architecture: emulated(architecture ?? 'x86_64', image),
  };
}

const MAX_MANIFEST = 64 * 1024 * 1024;

async function folderSource(path: string, own: string | undefined, io: Io): Promise<EmulatedSource> {
  const file = join(path, MANIFEST);
  await stat(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') return; // said when it is read
    throw new CliError(`${path} has no ${MANIFEST}`, { code: 'ERR_FILE_MISSING', hint: imageHint });
  });
  const bytes = await readUserFile(file, io, {
    what: 'Manifest of a prepared folder',
    maxBytes: MAX_MANIFEST,
  });
  const manifest = parse(file, Buffer.from(bytes).toString('utf8'));
  const first = manifest.hosts.find(({ state }) => state === 'prepared');
  const mac = own ?? first?.macs[0] ?? DEFAULT_MAC;
  const known = manifest.hosts.find(({ macs }) => macs.includes(mac));
  return {
    medium: { kind: 'folder', path, manifest },
    host: { name: known?.name ?? NAMELESS, macs: known?.macs ?? [mac] },
    mac,
    architecture: emulated(known?.architecture ?? 'x86_64', file),
  };
}

function parse(file: string, text: string): Manifest {
  try {
    return parseManifest(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new CliError(`${file}: ${error.message}`, {
      code: 'ERR_FORMAT',
      hint: 'give a folder that `prepare` has made, or a live ISO',
    });
  }
}

function emulated(architecture: string, what: string): MachineArchitecture {
  if (architecture === 'x86_64' || architecture === 'aarch64') return architecture;
  throw new CliError(`${what} is for ${architecture}, and no such machine is emulated`, {
    code: 'ERR_MACHINE',
    hint: 'try it on a machine of its own',
  });
}

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
    code: 'ERR_SETTING',
    hint: 'leave --accel out, or have yourself added to the group kvm',
  });
}
