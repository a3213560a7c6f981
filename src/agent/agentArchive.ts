/**
 * An archive that brings the agent's image to hosts without a registry: on the live ISO, or fetched by Ignition. A unit
 * checks its digest and loads it before the agent starts, and the agent does not start where that fails. What is loaded
 * gets the reference that the agent's unit names, since archives name their images in several ways, or not at all.
 */

import { readAsset } from '../assets.ts';
import { FormatError, UsageError } from '../core/errors.ts';
import type { ArchivedImage, ContainerArchive } from '../formats/containerArchive.ts';
import { parseImageReference } from '../formats/imageReference.ts';
import { formatExecArgument } from '../formats/systemdQuoting.ts';
import { fillTemplate } from '../formats/template.ts';
import type { Config, File, Unit } from '../ignition/config.ts';
import { publicMode, renderDataFile } from '../ignition/dataFile.ts';
import { readContents } from './lint/subject.ts';
import { type AgentArchive, type AgentSettings, defaultSettings } from './settings.ts';

const unitName = 'ironic-agent-image.service';
const checksumPath = '/etc/ironic-agent-image.sha512';
const fetchedFolder = '/var/lib/ironic-agent-image';
/** Where the live system has the medium, and its folder for added files. */
const medium = '/run/media/iso';
const mediumFolder = `${medium}/coreos`;

/** The unit that loads the image, where the image comes from an archive. */
export function renderArchiveUnits({ agentImage, archive }: AgentSettings): Unit[] {
  if (archive === undefined) return [];
  const path = formatExecArgument(archivePath(archive));
  const contents = fillTemplate(readAsset('templates/agent/ironic-agent-image.service'), {
    mount: archive.url === undefined ? `RequiresMountsFor=${medium}\n` : '',
    checksum: checksumPath,
    archive: path,
    imageId: archive.imageId,
    image: agentImage,
    // It is in memory, where the loaded image is now as well.
    cleanup: archive.url === undefined ? '' : `ExecStartPost=/bin/rm -f ${path}\n`,
  });
  return [{ contents, enabled: true, name: unitName }];
}

/** What the unit checks the archive with, and the archive itself where it is fetched. */
export function renderArchiveFiles({ archive }: AgentSettings): File[] {
  if (archive === undefined) return [];
  const { sha512, url } = archive;
  const path = archivePath(archive);
  const checksum = renderDataFile({
    path: checksumPath,
    mode: publicMode,
    content: Buffer.from(`${sha512}  ${path}\n`),
  });
  if (url === undefined) return [checksum];
  const contents = { source: url, verification: { hash: `sha512-${sha512}` } };
  return [checksum, { path, overwrite: true, contents, mode: publicMode }]; // an image holds no secret of this host
}

/** The archive that a config loads, as it says so itself. */
export interface DeployedArchive {
  /** Of the file, without folders. */
  readonly name: string;
  /** In hex. */
  readonly sha512: string;
  /** Where it is fetched; without, it is in the folder `coreos` of the medium. */
  readonly url: string | undefined;
  /** What the image is called that is loaded. */
  readonly image: string | undefined;
}

/** Undefined where the config loads none. */
export function findDeployedArchive({ storage, systemd }: Config): DeployedArchive | undefined {
  const unit = systemd?.units?.find(({ name }) => name === unitName)?.contents;
  const files = storage?.files ?? [];
  const checksum = files.find(({ path }) => path === checksumPath)?.contents;
  if (unit === undefined || checksum === undefined) return undefined;
  const text = Buffer.from(readContents(checksum) ?? []).toString();
  const [, sha512, path = ''] = /^([0-9a-f]{128}) {2}(\/[^\n]+)\n$/.exec(text) ?? [];
  if (sha512 === undefined) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isOnMedium = path === `${mediumFolder}/${name}`;
  const url = files.find((file) => file.path === path)?.contents?.source;
  const image = /podman tag [0-9a-f]{64} (\S+)/.exec(unit)?.[1];
  return { name, sha512, url: isOnMedium ? undefined : (url ?? ''), image };
}

function archivePath({ name, url }: AgentArchive): string {
  return `${url === undefined ? mediumFolder : fetchedFolder}/${name}`;
}

interface ChosenImage {
  readonly image: ArchivedImage;
  /** What it is called on the host. */
  readonly reference: string;
}

/**
 * The image of the archive that hosts run.
 * @param wanted the reference that the user gave: it tells several images apart, and is what a single one is called
 * @throws FormatError, going on from the name of the archive, where there is none or more than one
 */
export function chooseArchivedImage({ images }: ContainerArchive, wanted: string | undefined): ChosenImage {
  const named = images.filter(({ names }) => wanted !== undefined && names.includes(wanted));
  const [image, ...others] = named.length > 0 ? named : images;
  if (image === undefined || others.length > 0) {
    const listed = images.map(({ architecture, names }) => [...names, architecture].join(' ')).join(', ');
    throw new FormatError(`has ${images.length} images: ${listed}`, {
      hint: 'name one of them with --agent-image, or make an archive of one image for one architecture',
    });
  }
  if (image.os !== 'linux')
    throw new FormatError(`has an image for ${image.os}, and the agent runs on linux`);
  return { image, reference: wanted ?? image.names[0] ?? defaultSettings.agentImage };
}

/** Refuses a reference with a digest: what is loaded is known by its tag only, and the archive is checked as a whole. */
export function checkArchiveReference(text: string): string {
  const parsed = parseImageReference(text);
  if (!parsed.ok || parsed.reference.digest === undefined) return text;
  throw new FormatError('has a digest, which an image from an archive does not keep', {
    hint: 'leave the digest out: the archive is checked against its own',
  });
}

/** The name of the archive on the medium or on the host, which is a name for `--iso-file` as well. */
export function checkArchiveName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._+-]{0,126}$/.test(name)) return name;
  throw new FormatError(`has a name that is none for a file on the medium: ${JSON.stringify(name)}`, {
    hint: 'use letters, digits, dots and dashes, e.g. ironic-agent.tar',
  });
}

/** @throws FormatError, going on from the name of the setting, for what Ignition would not fetch */
export function checkArchiveUrl(text: string): string {
  const isUrl = /^https?:\/\/[!-~]+$/.test(text) && URL.canParse(text);
  if (isUrl) return text;
  throw new FormatError('is not a URL of a file', { hint: 'for example https://192.0.2.1/ironic-agent.tar' });
}

/** Go's names of the architectures of CoreOS. */
const architectureNames: ReadonlyMap<string, string> = new Map([
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
]);

/** As CoreOS calls it: `x86_64` for `amd64`. */
export function coreosArchitecture({ architecture }: Pick<ArchivedImage, 'architecture'>): string {
  return architectureNames.get(architecture) ?? architecture;
}

/** @throws UsageError where a host of this architecture cannot run the image */
export function checkHostArchitecture(archive: AgentArchive | undefined, host: string | undefined): void {
  const found = archive?.architecture;
  if (found === undefined || host === undefined || host === found) return;
  throw new UsageError(`the agent archive is for ${found}, and the host is ${host}`, {
    hint: 'give this host an archive of its own, or make one for its architecture: podman pull --arch',
  });
}

/** One reason for so many bytes. */
interface ArchiveMemoryPart {
  readonly what: string;
  readonly bytes: number;
}

/** What the part is called that is there in any case. */
export const UNPACKED_IMAGE = 'unpacked image of the agent';

/** Most at one time, while the image is being loaded. */
export function archiveMemory(
  archive: Pick<ContainerArchive, 'form' | 'size' | 'unpackedSize'>,
  image: ArchivedImage,
  { url }: Pick<AgentArchive, 'url'>,
): ArchiveMemoryPart[] {
  const unpacked = image.layers.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0);
  // podman takes an OCI archive apart in /var/tmp before it reads it, and unpacks a compressed docker archive there.
  const isCopied = archive.form === 'oci-archive' || archive.unpackedSize !== archive.size;
  return [
    { what: UNPACKED_IMAGE, bytes: unpacked },
    ...(url === undefined
      ? []
      : [{ what: 'archive of that image, until it is loaded', bytes: archive.size }]),
    ...(isCopied
      ? [{ what: 'copy of that archive while podman loads it', bytes: archive.unpackedSize }]
      : []),
  ];
}
