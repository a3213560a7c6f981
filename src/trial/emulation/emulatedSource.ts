/** The boot source of `--qemu`, and the setup of its machine. Both are checked before any server starts. */

import { quoteText } from '../../core/foreignText.ts';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError, FormatError, UsageError, located } from '../../core/errors.ts';
import { detectKind } from '../../image/imageKind.ts';
import { findArchitecture } from '../../image/bootParts.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { errorCode, fileError } from '../../io/files/fileErrors.ts';
import { readUserFile } from '../../io/files/files.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import type { Io } from '../../io/io.ts';
import { formatNames } from '../../io/report/problemGroups.ts';
import {
  type Accelerator,
  findFirmware,
  findQemu,
  type MachineArchitecture,
  usableAccelerators,
} from './qemu.ts';
import { readImage, withoutStdin } from '../../imagefile/imageFile.ts';
import { type Manifest, MAX_MANIFEST, parseManifest } from '../../hosts/artifacts/manifest.ts';
import { MANIFEST } from '../../hosts/plan/servedPaths.ts';
import type { ExpectedHost } from '../timeline/machines.ts';
import type { EmulationOptions } from '../options.ts';

export interface EmulatedSource {
  readonly medium: BootSource;
  /** A host of the inventory or of the folder, or a machine with a default name. */
  readonly host: ExpectedHost;
  readonly mac: string;
  readonly architecture: MachineArchitecture;
}

type BootSource =
  | { readonly kind: 'host'; readonly name: string; readonly way: 'cd' | 'network' }
  /** `source` is a path or a URL. */
  | { readonly kind: 'image'; readonly source: string }
  | { readonly kind: 'folder'; readonly path: string; readonly manifest: Manifest };

export interface EmulatedHost extends ExpectedHost {
  readonly architecture?: string | undefined;
}

/** QEMU's default for the first network card. */
const DEFAULT_MAC = '52:54:00:12:34:56';
/** Name of a machine that is not a known host. */
const DEFAULT_NAME = 'qemu';

/**
 * A host of the inventory has precedence over a file of the same name.
 * @throws UsageError, CliError if the source does not exist or is not bootable
 */
export async function readEmulatedSource(
  { boot, mac, qemu = '' }: EmulationOptions,
  hosts: readonly EmulatedHost[],
  io: Io,
): Promise<EmulatedSource> {
  const listed = hosts.find(({ name }) => name === qemu);
  if (listed !== undefined) return hostSource(listed, mac, boot);
  if (boot !== undefined) {
    throw new UsageError(`--boot requires a host of the inventory, but ${quoteText(qemu)} is not one`, {
      hint: 'remove --boot: images always boot from CD, folders from the network',
    });
  }
  if (isRemote(qemu)) return imageSource(qemu, mac, io);
  const path = resolve(io.cwd, qemu);
  const stats = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' && hosts.length > 0) throw noSuchSource(qemu, hosts);
    throw fileError(error, { path: qemu, what: 'Image (--qemu)', action: 'read' });
  });
  return stats.isDirectory() ? folderSource(path, mac, io) : imageSource(qemu, mac, io);
}

function noSuchSource(name: string, hosts: readonly EmulatedHost[]): CliError {
  const names = formatNames(hosts.map((host) => host.name));
  return new CliError(
    `--qemu ${quoteText(name)} not found: not a host of the inventory, a file or a folder`,
    {
      code: 'ERR_SETTING',
      hint: `use the path of an image or folder, or a host: ${names}`,
    },
  );
}

function hostSource(
  listed: EmulatedHost,
  own: string | undefined,
  boot: EmulationOptions['boot'] = 'network',
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

const IMAGE_HINT = 'use a live ISO, a folder of `prepare`, or a host of --inventory';

async function imageSource(image: string, own: string | undefined, io: Io): Promise<EmulatedSource> {
  const mac = own ?? DEFAULT_MAC;
  const architecture = await readImage(image, withoutStdin(io), async (bytes) => {
    if ((await detectKind(bytes)) !== 'iso')
      throw new FormatError('it is not a live ISO', { hint: IMAGE_HINT });
    return findArchitecture(await openIsoTree(bytes));
  });
  return {
    medium: { kind: 'image', source: image },
    host: { name: DEFAULT_NAME, macs: [mac] },
    mac,
    architecture: emulated(architecture ?? 'x86_64', image),
  };
}

async function folderSource(path: string, own: string | undefined, io: Io): Promise<EmulatedSource> {
  const file = join(path, MANIFEST);
  await stat(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') return; // `readUserFile` reports it
    throw new CliError(`${path} contains no ${MANIFEST}`, { code: 'ERR_FILE_MISSING', hint: IMAGE_HINT });
  });
  const bytes = await readUserFile(file, io, {
    what: 'Manifest of a prepared folder',
    maxBytes: MAX_MANIFEST,
  });
  const manifest = located({ subject: `${file}:`, hint: 'use a folder of `prepare`, or a live ISO' }, () =>
    parseManifest(Buffer.from(bytes).toString('utf8')),
  );
  const first = manifest.hosts.find(({ state }) => state === 'prepared');
  const mac = own ?? first?.macs[0] ?? DEFAULT_MAC;
  const known = manifest.hosts.find(({ macs }) => macs.includes(mac));
  return {
    medium: { kind: 'folder', path, manifest },
    host: { name: known?.name ?? DEFAULT_NAME, macs: known?.macs ?? [mac] },
    mac,
    architecture: emulated(known?.architecture ?? 'x86_64', file),
  };
}

function emulated(architecture: string, what: string): MachineArchitecture {
  if (architecture === 'x86_64' || architecture === 'aarch64') return architecture;
  throw new CliError(`${what} is for ${architecture}, which is unsupported in QEMU`, {
    code: 'ERR_MACHINE',
    hint: 'use a real machine: ironic-coreos try without --qemu',
  });
}

export type InstalledMachine = Readonly<Awaited<ReturnType<typeof readMachineSetup>>>;

/** Memory contains the live system with its root filesystem, and the agent container image. */
const DEFAULT_MEMORY = 4096;

/** Throws CliError if a program is not installed, UsageError for an unsupported machine. */
export async function readMachineSetup(
  { accel, firmware, memory = DEFAULT_MEMORY }: EmulationOptions,
  { architecture, medium }: EmulatedSource,
  { env }: Io,
) {
  const isX86 = architecture === 'x86_64';
  const isNetwork = medium.kind === 'folder' || (medium.kind === 'host' && medium.way === 'network');
  if (isNetwork && !isX86) {
    throw new UsageError(`network boot of an emulated ${architecture} machine is unsupported`, {
      hint: 'use an ISO: --boot cd, or --qemu IMAGE.iso',
    });
  }
  if (firmware === 'bios' && !isX86) {
    throw new UsageError(`--firmware bios is unsupported for ${architecture}`, {
      hint: 'use --firmware uefi',
    });
  }
  return {
    memory,
    /** QEMU. */
    program: await findQemu(architecture, env),
    firmware: await findFirmware(firmware ?? (isX86 ? 'bios' : 'uefi'), architecture),
    accelerators: await chooseAccelerators(accel, architecture),
  };
}

async function chooseAccelerators(
  asked: EmulationOptions['accel'],
  architecture: MachineArchitecture,
): Promise<readonly Accelerator[]> {
  const usable = await usableAccelerators(architecture);
  if (asked === undefined) return usable;
  if (usable.includes(asked)) return [asked];
  throw new CliError('KVM is not available: no access to /dev/kvm, or another architecture', {
    code: 'ERR_SETTING',
    hint: 'remove --accel, or add your user to the group kvm',
  });
}
