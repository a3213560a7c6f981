/**
 * Reads the base images: single files, ISOs, or a folder of downloads. For each architecture and stream, all are of one
 * release.
 */

import { append } from '../../core/lists.ts';
import { join, resolve } from 'node:path';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { findArchitecture, imageParts, type ImageRole } from '../../image/bootParts.ts';
import { parseImageName } from '../../image/imageNames.ts';
import { readKernelHeader } from '../../image/kernel.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { leavesFolder, readUserFolder } from '../../io/files/fileStates.ts';
import type { KnownDigests } from '../../io/files/fileDigests.ts';
import { isLocalImage, readImage, withOpened } from '../../imagefile/imageFile.ts';
import type { Io } from '../../io/io.ts';
import { type LivePart, type PartFlags, requireOneBuild, requireRole } from '../input/liveParts.ts';
import {
  architecturesOf,
  type BaseCatalog,
  type ImagesKey,
  type ImagesName,
  imagesName,
  onlyOne,
} from './baseCatalog.ts';

/** Each `FILE`, `ARCHITECTURE=FILE` or `STREAM/ARCHITECTURE=FILE`. */
export interface ImageOptions {
  readonly iso?: readonly string[];
  readonly kernel?: readonly string[];
  readonly initramfs?: readonly string[];
  readonly rootfs?: readonly string[];
  readonly images?: string;
}

export interface InputImage extends ImagesKey {
  readonly role: ImageRole;
  /** The name that the user gave. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly label: string | undefined;
}

/** The images of one architecture and stream. */
export type InputImages = ReadonlyMap<ImageRole, InputImage>;

const roles: readonly ImageRole[] = ['iso', ...imageParts];
const flags: PartFlags = { iso: '--iso', kernel: '--kernel', initramfs: '--initramfs', rootfs: '--rootfs' };

/** @throws CliError for files that are missing, of another type or of different builds, UsageError for two files of one type, stream and architecture */
export async function readImageInputs(
  options: ImageOptions,
  digests: KnownDigests,
  io: Io,
): Promise<BaseCatalog<InputImages>> {
  const given: GivenFile[] = [];
  for (const role of roles) {
    for (const text of options[role] ?? []) {
      const option = parseImageOption(text);
      if (option.name === '' || !isLocalImage(option.name)) {
        throw new UsageError(`--${role} requires FILE, ARCHITECTURE=FILE or STREAM/ARCHITECTURE=FILE`, {
          hint: 'download the image first: ironic-coreos download',
        });
      }
      given.push({ role, ...option });
    }
  }
  if (options.images !== undefined) append(given, await listFolder(options.images, io));
  const named = new Map<ImagesName, Map<ImageRole, InputImage>>();
  for (const file of given) {
    const look = await lookAt(file, io);
    const architecture =
      chosenArchitecture(file, look.architecture) ??
      onlyOne(architecturesOf(named)) ??
      onlyOne(given.map((it) => it.architecture)) ??
      'x86_64';
    const { role, stream } = file;
    const key = imagesName({ architecture, stream });
    const images = named.get(key) ?? new Map<ImageRole, InputImage>();
    const other = images.get(role);
    if (other !== undefined) {
      throw new UsageError(`two ${role} files for ${key}: ${other.name} and ${file.name}`, {
        hint: `pass only one of these files, or add the architecture or stream of the other: --${role} aarch64=FILE, --${role} rhel-10/${architecture}=FILE`,
      });
    }
    const path = resolve(io.cwd, file.name);
    const { label, size } = look;
    const sha256 = await digests.sha256(path);
    const image = { role, architecture, stream, name: file.name, path, size, sha256, label };
    named.set(key, images.set(role, image));
  }
  for (const images of named.values()) await requireMatching(images, digests, io);
  return named;
}

/** The images that were compared, by their digests: the next state of a service mostly has the same. */
const compared = new WeakMap<KnownDigests, Set<string>>();

/** @throws CliError if they are damaged, or not of one build */
async function requireMatching(images: InputImages, digests: KnownDigests, io: Io): Promise<void> {
  const key = [...images.values()].map(({ role, sha256 }) => `${role} ${sha256}`).join('\n');
  const known = compared.get(digests) ?? new Set();
  if (known.has(key)) return;
  await withOpened({ cwd: io.cwd, inputs: io.inputs }, async (open) => {
    const parts: Partial<Record<ImageRole, LivePart>> = {};
    for (const { name, role } of images.values()) parts[role] = await open(name, 'Image');
    await requireOneBuild(parts);
  });
  compared.set(digests, known.add(key));
}

interface ImageOption {
  /** Undefined if it is not given. */
  readonly architecture: Architecture | undefined;
  /** Undefined for the default. */
  readonly stream: string | undefined;
  readonly name: string;
}

interface GivenFile extends ImageOption {
  readonly role: ImageRole;
}

/** `FILE`, `ARCHITECTURE=FILE` or `STREAM/ARCHITECTURE=FILE`. */
export function parseImageOption(text: string): ImageOption {
  const [first = '', ...rest] = text.split('/');
  const ofStream = splitArchitecture(rest.join('/'));
  return isStreamName(first) && ofStream.architecture !== undefined
    ? { stream: first, ...ofStream }
    : { stream: undefined, ...splitArchitecture(text) };
}

/** Whether it can be the value of a Kubernetes label, as streams are selected by one. */
export function isStreamName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text);
}

/** `FILE` or `ARCHITECTURE=FILE`. */
export function splitArchitecture(text: string): {
  readonly architecture: Architecture | undefined;
  readonly name: string;
} {
  const [, prefix, rest = ''] = /^([a-z0-9_]{1,20})=(.*)$/s.exec(text) ?? [];
  const architecture = architectures.find((known) => known === prefix);
  return { architecture, name: architecture === undefined ? text : rest };
}

async function listFolder(folder: string, io: Io): Promise<GivenFile[]> {
  const names = await readUserFolder(folder, 'Image folder (--images)', io);
  const found = names.toSorted().flatMap((file) => {
    const read = parseImageName(file);
    return read === undefined ? [] : [{ ...read, stream: undefined, name: join(folder, file), file }];
  });
  for (const { file, name } of found) {
    if (!(await leavesFolder(resolve(io.cwd, folder), file))) continue;
    throw new CliError(`${name} is a link that leads out of the folder`, {
      code: 'ERR_FILE_ACCESS',
      hint: 'move the file to the folder, or pass each file with --iso, --kernel, --initramfs and --rootfs',
    });
  }
  const releases = new Set(found.map(({ release, architecture }) => release.replace(`-${architecture}`, '')));
  if (releases.size === 1) return found;
  if (releases.size === 0) {
    throw new CliError(`${folder} contains no live images of CoreOS`, {
      code: 'ERR_FILE_MISSING',
      hint: 'keep the names of the release, such as fedora-coreos-44.20261101.3.0-live-kernel.x86_64',
    });
  }
  throw new CliError(`${folder} contains images of several releases: ${[...releases].join(', ')}`, {
    code: 'ERR_IMAGE',
    hint: 'remove all but one of them, or pass single files, such as --iso rhel-10/x86_64=FILE for a stream',
  });
}

/** @throws CliError if the file is for another architecture than the given one: it would not boot */
function chosenArchitecture(
  { name, architecture }: GivenFile,
  found: Architecture | undefined,
): Architecture | undefined {
  if (architecture !== undefined && found !== undefined && architecture !== found) {
    throw new CliError(`${name} is for ${found}, not for ${architecture}`, {
      code: 'ERR_IMAGE',
      hint: `pass an image for ${architecture}, or use ${found}=${name}`,
    });
  }
  return architecture ?? found;
}

/** What a file says about itself. */
async function lookAt({ role, name }: GivenFile, io: Io) {
  return readImage(name, { cwd: io.cwd, inputs: io.inputs }, async (image) => {
    if (image.path === undefined) {
      throw new CliError(`${name} is not a regular file`, {
        code: 'ERR_IMAGE',
        hint: `copy ${name} to a file first, and pass that file to ${flags[role]}`,
      });
    }
    const { size } = image;
    await requireRole(role, image, flags);
    const tree = role === 'iso' ? await openIsoTree(image) : undefined;
    const kernel = role === 'kernel' ? await readKernelHeader(image) : undefined;
    const architecture = tree === undefined ? kernel?.architecture : await findArchitecture(tree);
    return { architecture, label: tree?.volume.volumeId, size };
  });
}
