/** The live images that the user gives: by file, by ISO, or a folder of downloads. For each architecture one release. */

import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { detectCompression } from '../../formats/compression.ts';
import { imageParts, type ImagePart, findArchitecture, kernelArchitecture } from '../../image/bootParts.ts';
import { detectImageKind, type ImageKind } from '../../image/imageKind.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { KnownDigests } from '../../io/files/fileDigests.ts';
import { isLocalImage, readImage } from '../../io/images/imageFile.ts';
import type { Io } from '../../io/io.ts';
import type { ManifestInput } from '../artifacts/manifest.ts';

/** Each `FILE` or `ARCHITECTURE=FILE`. */
export interface ImageOptions {
  readonly iso?: readonly string[];
  readonly kernel?: readonly string[];
  readonly initramfs?: readonly string[];
  readonly rootfs?: readonly string[];
  /** A folder of downloads. */
  readonly images?: string;
}

export interface InputImage {
  readonly role: ImageRole;
  readonly architecture: Architecture;
  /** As the user gave it. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** Volume ID of an ISO. */
  readonly label?: string;
}

/** What there is of one architecture. */
export type InputImages = ReadonlyMap<ImageRole, InputImage>;

const roles: readonly ImageRole[] = ['iso', ...imageParts];

/** @throws CliError for files that are missing or not what they are given as, UsageError for two of a kind */
export async function readImageInputs(
  options: ImageOptions,
  digests: KnownDigests,
  io: Io,
): Promise<ReadonlyMap<Architecture, InputImages>> {
  const given = [
    ...roles.flatMap((role) => givenFiles(role, options[role] ?? [])),
    ...(await listFolder(options, io)),
  ];
  const named = new Map<Architecture, Map<ImageRole, InputImage>>();
  const fallback = onlyOne(given.map(({ architecture }) => architecture));
  for (const file of given) {
    const look = await lookAt(file, io);
    const architecture =
      chosenArchitecture(file, look.architecture) ?? onlyOne([...named.keys()]) ?? fallback ?? 'x86_64';
    const images = named.get(architecture) ?? new Map<ImageRole, InputImage>();
    const other = images.get(file.role);
    if (other !== undefined) {
      throw new UsageError(`${other.name} and ${file.name} are both the ${file.role} for ${architecture}`, {
        hint: `give one of them, or say what the other is for: --${file.role} aarch64=FILE`,
      });
    }
    const path = resolve(io.cwd, file.name);
    const { label, size } = look;
    const sha256 = await digests.sha256(path);
    const image = { role: file.role, architecture, name: file.name, path, size, sha256 };
    named.set(architecture, images.set(file.role, { ...image, ...(label !== undefined && { label }) }));
  }
  return named;
}

/** For the manifest. */
export function listInputs(images: ReadonlyMap<Architecture, InputImages>): ManifestInput[] {
  return architectures.flatMap((architecture) =>
    roles.flatMap((role) => {
      const image = images.get(architecture)?.get(role);
      if (image === undefined) return [];
      const { name, size, sha256, label } = image;
      return [
        { role, name: basename(name), architecture, ...(label !== undefined && { label }), size, sha256 },
      ];
    }),
  );
}

interface GivenFile {
  readonly role: ImageRole;
  /** Undefined where nobody says it. */
  readonly architecture: Architecture | undefined;
  readonly name: string;
}

function givenFiles(role: ImageRole, values: readonly string[]): GivenFile[] {
  return values.map((text) => {
    const { architecture, name } = splitArchitecture(text);
    if (name === '' || !isLocalImage(name)) {
      throw new UsageError(`--${role} takes a file, or ARCHITECTURE=FILE`, {
        hint: 'download images first: ironic-coreos download',
      });
    }
    return { role, architecture, name };
  });
}

/** `FILE` or `ARCHITECTURE=FILE`. */
export function splitArchitecture(text: string): Pick<GivenFile, 'architecture' | 'name'> {
  const [, prefix, rest = ''] = /^([a-z0-9_]{1,20})=(.*)$/s.exec(text) ?? [];
  const architecture = architectures.find((known) => known === prefix);
  return { architecture, name: architecture === undefined ? text : rest };
}

async function listFolder({ images: folder }: ImageOptions, io: Io): Promise<GivenFile[]> {
  if (folder === undefined) return [];
  const names = await readdir(resolve(io.cwd, folder)).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder of images (--images)', action: 'read' });
  });
  const found = names.toSorted().flatMap((name) => {
    const read = parseImageName(name);
    return read === undefined ? [] : [{ ...read, name: join(folder, name) }];
  });
  const releases = new Set(found.map(({ release, architecture }) => release.replace(`-${architecture}`, '')));
  if (releases.size === 1) return found;
  if (releases.size === 0) {
    throw new CliError(`${folder} holds no live images of CoreOS`, {
      code: 'ERR_FILE_MISSING',
      hint: 'they have names like fedora-coreos-44.20261101.3.0-live-kernel.x86_64',
    });
  }
  throw new CliError(`${folder} holds images of several releases: ${[...releases].join(', ')}`, {
    code: 'ERR_IMAGE',
    hint: 'take away all but one of them, or name the files: --kernel, --initramfs, --rootfs, --iso',
  });
}

/** A contradiction would not boot. */
function chosenArchitecture(
  { name, architecture }: GivenFile,
  found: Architecture | undefined,
): Architecture | undefined {
  if (architecture !== undefined && found !== undefined && architecture !== found) {
    throw new CliError(`${name} is for ${found}, and was given for ${architecture}`, {
      code: 'ERR_IMAGE',
      hint: 'give the right file',
    });
  }
  return architecture ?? found;
}

function onlyOne(list: readonly (Architecture | undefined)[]): Architecture | undefined {
  const [first, ...others] = new Set(list.filter((item) => item !== undefined));
  return others.length === 0 ? first : undefined;
}

interface Look {
  readonly architecture: Architecture | undefined;
  readonly label?: string;
  readonly size: number;
}

const HEAD = 1024;

async function lookAt({ role, name }: GivenFile, io: Io): Promise<Look> {
  return readImage(name, { cwd: io.cwd }, async (image) => {
    if (image.kind !== 'file') {
      throw new CliError(`${name} is no regular file`, {
        code: 'ERR_IMAGE',
        hint: 'copy it to a file first',
      });
    }
    const { size } = image;
    if (role === 'iso') {
      const tree = await openIsoTree(image);
      return { architecture: await findArchitecture(image, tree), label: tree.volume.volumeId, size };
    }
    if (size === 0) throw new CliError(`${name} is empty`, { code: 'ERR_IMAGE', hint: 'download it again' });
    const head = await image.read(0, Math.min(HEAD, size));
    refuseOtherRole({ role, name }, await detectImageKind(image), head);
    if (role !== 'kernel') return { architecture: undefined, size };
    // Only those of aarch64 come compressed.
    const architecture = detectCompression(head) === 'gzip' ? 'aarch64' : kernelArchitecture(head);
    return { architecture, size };
  });
}

/** By what files begin with; a kernel for aarch64 is compressed by gzip, as an initramfs may be. */
function refuseOtherRole(
  { role, name }: Pick<GivenFile, 'role' | 'name'>,
  kind: ImageKind,
  head: Uint8Array,
): void {
  const isArchive = kind === 'initramfs' && detectCompression(head) !== 'gzip';
  const found =
    kind === 'iso'
      ? { noun: 'an ISO image', flag: '--iso' }
      : role !== 'kernel' && kernelArchitecture(head) !== undefined
        ? { noun: 'a kernel', flag: '--kernel' }
        : role === 'kernel' && isArchive
          ? { noun: 'an initramfs', flag: '--initramfs' }
          : undefined;
  if (found === undefined) return;
  const hint = `use ${found.flag} for this file, and give --${role} the ${role}`;
  throw new CliError(`${name} is ${found.noun}, and was given as the ${role}`, { code: 'ERR_IMAGE', hint });
}

type ImageRole = ImagePart | 'iso';

export interface ImageName {
  readonly role: ImageRole;
  readonly architecture: Architecture;
  /** What files of one release have in common. */
  readonly release: string;
}

/** Undefined for the name of anything else. */
export function parseImageName(name: string): ImageName | undefined {
  const [, release = '', part, machine] =
    /^(.{1,200})-live(?:-(iso|kernel|initramfs|rootfs))?[.-]([a-z0-9_]{1,20})(?:\.img|\.iso)?$/.exec(name) ??
    [];
  const architecture = architectures.find((known) => known === machine);
  if (architecture === undefined) return undefined;
  const isIso = name.endsWith('.iso');
  if (isIso) return part === undefined || part === 'iso' ? { role: 'iso', architecture, release } : undefined;
  if (part === 'kernel' || part === 'initramfs' || part === 'rootfs')
    return { role: part, architecture, release };
  return undefined;
}
