/** Inspects one image: its format, its contents, and its Ignition config. */

import { isAgentConfig } from '../../agent/lint/lintConfig.ts';
import { CliError, located } from '../../core/errors.ts';
import type { Config } from '../../ignition/config.ts';
import { type ConfigPlace, readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { SpecVersion } from '../../ignition/versions.ts';
import { readStart } from '../../image/fileStart.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { imageRules } from '../../image/inspection/imageRules.ts';
import { sourceOfImage, writeInitrd } from '../../image/initrd.ts';
import { inspectInitrd, inspectIso } from '../../image/inspection/inspectImage.ts';
import type { ImageInspection } from '../../image/inspection/inspection.ts';
import { filesMemory, liveMemory, type MemoryPart } from '../../image/inspection/memoryNeed.ts';
import type { Io } from '../../io/io.ts';
import type { Finding } from '../../core/finding.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import { inspectAgentArchive, type InspectedArchive } from '../../hosts/input/imageRequirements.ts';
import { referenceName } from '../../hosts/input/checkInlined.ts';
import { checkInspected } from '../../hosts/input/imageContents.ts';
import { refuseCompressed, refuseOther } from '../../hosts/input/contentKind.ts';
import { type ImageInput, readImageSource, readWhole } from '../../hosts/input/imageSource.ts';
import { CONFIG_FILE, readSourceConfig } from '../../hosts/input/sourceConfig.ts';
import { archiveMemory } from '../../agent/agentArchive.ts';
import { type ContainerArchive, readContainerArchive } from '../../formats/containerArchive.ts';
import type { ImageKind } from '../../image/imageKind.ts';
import type { RandomAccess } from '../../image/overlay.ts';

export interface Inspected {
  /** The name for messages, without credentials. */
  readonly file: string;
  readonly subject: ImageInspection | ConfigFile | ImageArchive;
  /** The Ignition config; undefined if it is missing or cannot be read. */
  readonly config?: InspectedConfig | undefined;
  /** The agent archive that the config loads. */
  readonly archive?: InspectedArchive | undefined;
  readonly findings: readonly Finding[];
}

/** An Ignition config that is not embedded in an image. */
interface ConfigFile {
  readonly kind: 'ignition';
  readonly document: Uint8Array;
  /** Bytes. */
  readonly size: number;
  /** Bytes that it requires in the embed area of a live ISO. */
  readonly archiveSize: number;
  readonly memory: readonly MemoryPart[];
}

export interface InspectedConfig {
  /** Merged with the configs that are inlined in it. */
  readonly config: Config;
  readonly version: SpecVersion;
  /** Bytes of the document. */
  readonly size: number;
  /** Number of inlined configs, at any depth. */
  readonly inlinedConfigs: number;
  readonly runsAgent: boolean;
}

/** Inspects `source`: a path, a URL, `-` for standard input, or the bytes. */
export async function inspectSource(source: string | Uint8Array, io: Io): Promise<Inspected> {
  const isLocal = typeof source !== 'string' || !isRemote(source);
  const inspected = await readImageSource(source, 'Image', io, (opened) =>
    located({ subject: `${opened.name}:` }, () => inspectOpened(opened, isLocal)),
  );
  return { ...inspected, findings: withoutIgnored(inspected.findings, io) };
}

async function inspectOpened(source: ImageInput, isLocal: boolean): Promise<Inspected> {
  const { kind, image, name: file } = source;
  const archived = kind === 'iso' ? undefined : await inspectImageArchive(image);
  if (archived !== undefined) return { file, subject: archived, findings: [] };
  const subject = await describe[kind](source);
  const isConfig = subject.kind === 'ignition';
  const document = isConfig ? subject.document : subject.files?.get(CONFIG_NAME);
  const { config, issues } = readDocument(document);
  if (isConfig) {
    const archive = config && (await inspectAgentArchive(config.config, source, isLocal));
    return { file, subject, config, archive, findings: issues };
  }
  const { archive, findings } = await checkInspected(subject, source, isLocal);
  return { file, subject, config, archive, findings: [...findings, ...issues] };
}

const describe: Readonly<Record<ImageKind, (source: ImageInput) => Promise<ImageInspection | ConfigFile>>> = {
  iso: ({ image }) => inspectIso(image),
  initramfs: ({ image }) => inspectInitrd(image),
  rootfs: ({ image }) => inspectInitrd(image),
  kernel: readConfigFile,
  other: readConfigFile,
};

/** Reads a file that is neither an image nor an archive: JSON, or YAML or Butane that is translated to it. */
async function readConfigFile(opened: ImageInput): Promise<ConfigFile> {
  const source = await readSourceConfig(opened.name, await readWhole(opened, CONFIG_FILE));
  const { json: document, name, text } = source;
  const isConfig =
    document === text
      ? /^\s*\{/.test(document.toString('latin1', 0, 1024))
      : readEffectiveConfig(document).status === 'read';
  if (!isConfig) {
    const inspected = 'an image, an Ignition config or an archive of a container image';
    await refuseOther(inspected, name, text);
    await refuseCompressed(opened.image);
    throw new CliError(
      `${name} is neither a live ISO, an initramfs, an Ignition config nor an archive of a container image`,
      {
        code: 'ERR_FORMAT',
        hint: 'use a supported file; kernels, disk images and other archives are not supported',
      },
    );
  }
  return {
    kind: 'ignition',
    document,
    size: document.length,
    archiveSize: writeInitrd(new Map([[CONFIG_NAME, document]])).length,
    memory: [...liveMemory('medium'), ...filesMemory('embedded config', [document.length])],
  };
}

function readDocument(document: Uint8Array | undefined): {
  readonly config?: InspectedConfig;
  readonly issues: readonly Finding[];
} {
  if (document === undefined) return { issues: [] };
  const read = readEffectiveConfig(document);
  if (read.status === 'refused') return { issues: [unreadable([], read.finding)] };
  const { config, inlined, issues, version } = read;
  const refused = inlined.flatMap(({ place, read: inner }) =>
    inner.status === 'refused' ? [unreadable(place, inner.finding)] : [],
  );
  return {
    config: {
      config,
      version,
      size: document.length,
      inlinedConfigs: inlined.length,
      runsAgent: isAgentConfig(config),
    },
    issues: [
      // Findings of images have no path.
      ...issues.map(({ place, issue }) => {
        const path = referenceName([...place, issue.path]);
        return { ...issue, message: `${path}: ${issue.message}` };
      }),
      ...refused,
    ],
  };
}

function unreadable(place: ConfigPlace, { message, hint, position }: Finding): Finding {
  const where = position === undefined ? '' : ` (line ${position.line}, column ${position.column})`;
  const which = place.length === 0 ? '' : ` in ${referenceName(place)}`;
  const text = `${imageRules.configUnreadable.message}: ${message}${which}${where}`;
  return {
    ...imageRules.configUnreadable,
    path: [],
    message: text,
    hint: hint ?? imageRules.configUnreadable.hint,
  };
}

export interface ImageArchive extends ContainerArchive {
  readonly kind: 'container-archive';
  /** Memory of a host that fetches the archive, without the live system; empty if the archive contains several images. */
  readonly memory: readonly MemoryPart[];
}

/**
 * Undefined for a file that is not a tar archive.
 * @throws FormatError (the message follows the file name) if the archive is damaged or contains no container image
 */
async function inspectImageArchive(file: RandomAccess): Promise<ImageArchive | undefined> {
  const { head } = await readStart(file);
  if (head.toString('latin1', 257, 262) !== 'ustar') return undefined; // the magic of a tar header (POSIX.1)
  const content = await readContainerArchive(sourceOfImage(file));
  const [image, ...others] = content.images;
  const isOne = image !== undefined && others.length === 0;
  return {
    kind: 'container-archive',
    ...content,
    memory: isOne ? archiveMemory(content, image, { url: '' }) : [],
  };
}
