/**
 * An archive with the agent's image, for hosts without a registry: on the live ISO, or fetched by Ignition. A unit checks
 * its digest and loads it before the agent starts; if that fails, the agent does not start. The loaded image is tagged
 * with the reference in the agent's unit, because archives name their images in several ways, or not at all.
 */

import { quoteText } from '../core/foreignText.ts';
import { readAsset } from '../core/assets.ts';
import { FormatError, UsageError } from '../core/errors.ts';
import type { ArchivedImage, ContainerArchive } from '../formats/containerArchive.ts';
import { parseImageReference } from '../formats/imageReference.ts';
import { formatExecArgument } from '../formats/systemdQuoting.ts';
import { fillTemplate } from '../formats/template.ts';
import type { Config, File, IgnitionSection, Unit } from '../ignition/config.ts';
import { base64DataUrl, PUBLIC_MODE, renderDataFile } from '../ignition/dataFile.ts';
import type { MemoryPart } from '../image/inspection/memoryNeed.ts';
import { readInlineText } from './lint/subject.ts';
import type { AgentArchive } from './settings.ts';

const UNIT_NAME = 'ironic-agent-image.service';
const CHECKSUM_PATH = '/etc/ironic-agent-image.sha512';
const FETCHED_FOLDER = '/var/lib/ironic-agent-image';
/** Mount point of the medium in the live system, and its folder for added files. */
const MEDIUM = '/run/media/iso';
const MEDIUM_FOLDER = `${MEDIUM}/coreos`;

export function renderArchiveUnit(archive: AgentArchive, agentImage: string): Unit {
  const path = formatExecArgument(archivePath(archive));
  const contents = fillTemplate(readAsset('templates/agent/ironic-agent-image.service'), {
    mount: archive.url === undefined ? `RequiresMountsFor=${MEDIUM}\n` : '',
    checksum: CHECKSUM_PATH,
    archive: path,
    imageId: archive.imageId,
    image: agentImage,
    // The archive is in memory, in addition to the loaded image.
    cleanup: archive.url === undefined ? '' : `ExecStartPost=/bin/rm -f ${path}\n`,
  });
  return { contents, enabled: true, name: UNIT_NAME };
}

/** The file with the checksum of the archive, and the archive itself if Ignition fetches it. */
export function renderArchiveFiles(archive: AgentArchive): File[] {
  const { sha512, url } = archive;
  const path = archivePath(archive);
  const checksum = renderDataFile({
    path: CHECKSUM_PATH,
    mode: PUBLIC_MODE,
    content: Buffer.from(`${sha512}  ${path}\n`),
  });
  if (url === undefined) return [checksum];
  const contents = { source: url, verification: { hash: `sha512-${sha512}` } };
  return [checksum, { path, overwrite: true, contents, mode: PUBLIC_MODE }]; // an image contains no secret of this host
}

/** The CA certificates with which Ignition verifies the server of the archive; it does not read the trust store of the host. */
export function renderArchiveTrust(
  { url }: AgentArchive,
  caCertificates: string | undefined,
): Pick<IgnitionSection, 'security'> {
  if (caCertificates === undefined || url?.startsWith('https:') !== true) return {};
  return { security: { tls: { certificateAuthorities: [{ source: base64DataUrl(caCertificates) }] } } };
}

export interface DeployedArchive extends Pick<AgentArchive, 'name' | 'sha512' | 'url'> {
  readonly image: string | undefined;
}

/** Undefined if the config loads no archive. */
export function findDeployedArchive({ storage, systemd }: Config): DeployedArchive | undefined {
  const unit = systemd?.units?.find(({ name }) => name === UNIT_NAME)?.contents;
  const files = storage?.files ?? [];
  const checksum = files.find(({ path }) => path === CHECKSUM_PATH)?.contents;
  if (unit === undefined || checksum === undefined) return undefined;
  const [, sha512, path = ''] =
    /^([0-9a-f]{128}) {2}(\/[^\n]+)\n$/.exec(readInlineText(checksum) ?? '') ?? [];
  if (sha512 === undefined) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isOnMedium = path === `${MEDIUM_FOLDER}/${name}`;
  const url = files.find((file) => file.path === path)?.contents?.source;
  const image = /podman tag [0-9a-f]{64} (\S+)/.exec(unit)?.[1];
  return { name, sha512, url: isOnMedium ? undefined : (url ?? ''), image };
}

function archivePath({ name, url }: AgentArchive): string {
  return `${url === undefined ? MEDIUM_FOLDER : FETCHED_FOLDER}/${name}`;
}

/** The tag of an image whose archive contains no name. */
const NAMELESS_IMAGE = 'localhost/ironic-agent';

/**
 * Selects the image of the archive that hosts run, and its tag there.
 * @param wanted the reference from the user: it selects one of several images, and becomes the tag of the image
 * @throws FormatError without a subject if there is no such image or more than one
 */
export function chooseArchivedImage({ images }: ContainerArchive, wanted: string | undefined) {
  const named = images.filter(({ names }) => wanted !== undefined && names.includes(wanted));
  const [image, ...others] = named.length > 0 ? named : images;
  if (image === undefined || others.length > 0) {
    const listed = images.map(({ architecture, names }) => [...names, architecture].join(' ')).join(', ');
    throw new FormatError(`contains ${images.length} images: ${listed}`, {
      hint: 'select one with --agent-image, or create an archive of one image for one architecture',
    });
  }
  if (image.os !== 'linux') throw new FormatError(`contains an image for ${image.os}, not for linux`);
  return { image, reference: wanted ?? image.names[0] ?? NAMELESS_IMAGE };
}

/** Refuses a reference with a digest: podman tags the loaded image without one, and the archive has a checksum. */
export function checkArchiveReference(text: string): string {
  const parsed = parseImageReference(text);
  if (!parsed.ok || parsed.reference.digest === undefined) return text;
  throw new FormatError('contains a digest, which podman does not keep for an image from an archive', {
    hint: 'remove the digest: the checksum of the archive is verified instead',
  });
}

/** The name of the archive on the medium or on the host, which is also valid for `--iso-file`. */
export function checkArchiveName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._+-]{0,126}$/.test(name)) return name;
  throw new FormatError(`has an invalid file name for the medium: ${quoteText(name)}`, {
    hint: 'rename the file with letters, digits, dots and dashes, e.g. ironic-agent.tar',
  });
}

/** @throws FormatError without a subject for URLs that Ignition does not support */
export function checkArchiveUrl(text: string): string {
  const isUrl = /^https?:\/\/[!-~]+$/.test(text) && URL.canParse(text);
  if (isUrl) return text;
  throw new FormatError('is not a URL of a file', {
    hint: 'use a URL such as https://192.0.2.1/ironic-agent.tar',
  });
}

/** @throws UsageError if a host of this architecture cannot run the image */
export function checkHostArchitecture(archive: AgentArchive | undefined, host: string | undefined): void {
  const found = archive?.architecture;
  if (found === undefined || host === undefined || host === found) return;
  throw new UsageError(`the agent archive is for ${found}, but the host is ${host}`, {
    hint: `set a different archive for this host, or create one with podman pull --arch`,
  });
}

/** The part of the memory that is always required. */
export const UNPACKED_IMAGE = 'unpacked agent image';

/** Peak memory while the image is loaded. */
export function archiveMemory(
  archive: Pick<ContainerArchive, 'form' | 'size' | 'unpackedSize'>,
  image: ArchivedImage,
  { url }: Pick<AgentArchive, 'url'>,
): MemoryPart[] {
  const unpacked = image.layers.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0);
  // podman extracts an OCI archive to /var/tmp before it reads it, and decompresses a docker archive there.
  const isCopied = archive.form === 'oci-archive' || archive.unpackedSize !== archive.size;
  return [
    { what: UNPACKED_IMAGE, bytes: unpacked },
    ...(url === undefined ? [] : [{ what: 'agent archive, until it is loaded', bytes: archive.size }]),
    ...(isCopied
      ? [{ what: 'copy of the agent archive while podman loads it', bytes: archive.unpackedSize }]
      : []),
  ];
}
