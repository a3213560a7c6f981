/**
 * Where everything is in a served folder, and under which URL. Shared images have a folder of their own for each version,
 * so that the scripts of a host point at images that belong together at any moment.
 */

import { createHash } from 'node:crypto';
import { checkUrl, isPlainText } from '../../boot/urlArgument.ts';
import { UsageError } from '../../core/errors.ts';
import type { ImagePart } from '../../image/bootParts.ts';
import type { ConfigArtifact } from './artifacts.ts';

export const MANIFEST = 'manifest.json';
export const CHECKSUMS = 'SHA256SUMS';

/** Where the config is of machines that no inventory lists. */
const UNKNOWN_MACHINES = 'discovery';

const fileNames: Readonly<Record<ConfigArtifact, string>> = {
  ign: 'config.ign',
  archive: 'config.img',
  initramfs: 'initramfs.img',
  iso: 'live.iso',
  'minimal-iso': 'minimal.iso',
};

/** The file of one host; its name is a host name, and hence no step upwards. */
export function hostPath(name: string, artifact: ConfigArtifact): string {
  return `hosts/${name}/${fileNames[artifact]}`;
}

/** The same for machines that no inventory lists, in a folder of its own where there are several of a kind. */
export function discoveryPath(artifact: ConfigArtifact, folder?: string): string {
  const path = folder === undefined ? UNKNOWN_MACHINES : `${UNKNOWN_MACHINES}/${folder}`;
  return `${path}/${fileNames[artifact]}`;
}

/** @param id what {@link imageSetId} gives */
export function imagePath(id: string, part: ImagePart): string {
  return `images/${id}/ironic-python-agent.${part}`;
}

/** An archive of the agent's image; `id` is another one for other bytes. */
export function agentPath(id: string, name: string): string {
  return `agents/${id}/${name}`;
}

/** A name for images that belong together: another one as soon as one of them is another. */
export function imageSetId(
  architecture: string,
  images: readonly { readonly role: string; readonly sha256: string }[],
): string {
  const hash = createHash('sha256');
  for (const { role, sha256 } of images) hash.update(`${role} ${sha256}\n`);
  return `${architecture}-${hash.digest('hex').slice(0, 12)}`;
}

/** @throws UsageError, with the name of the option, where files below it could not be named to boot loaders */
export function parseBaseUrl(text: string, option = '--base-url'): string {
  const [issue] = checkUrl(text, ['http', 'https']);
  const message = issue?.message ?? issue?.rule.message;
  if (message !== undefined && issue?.rule.severity === 'error') {
    throw new UsageError(`${option}: ${message}`, { hint: 'for example http://192.0.2.1/boot' });
  }
  if (!isPlainText(text) || /[?#,'\\]/.test(text)) {
    throw new UsageError(`${option}: file names cannot be added to this URL`, {
      hint: 'give the URL of a folder, without query, fragment, blanks, quotes and commas',
    });
  }
  return text.replace(/\/+$/, '');
}

/** The longest ending first, since `worker-minimal.iso` ends as `worker.iso` does. */
const endings = [
  ['minimal-iso', '-minimal.iso'],
  ['initramfs', '.initramfs'],
  ['iso', '.iso'],
  ['ign', '.ign'],
  ['archive', '.img'],
] as const satisfies readonly (readonly [ConfigArtifact, string])[];

export interface HostFile {
  readonly host: string;
  readonly artifact: ConfigArtifact;
}

export function hostFileName(host: string, artifact: ConfigArtifact): string {
  return host + (endings.find(([name]) => name === artifact)?.[1] ?? '');
}

/** What the name may stand for, the likeliest first: a host may be called `worker-minimal`. */
export function parseHostFileName(name: string): HostFile[] {
  return endings
    .filter(([, ending]) => name.endsWith(ending) && name.length > ending.length)
    .map(([artifact, ending]) => ({ host: name.slice(0, -ending.length), artifact }))
    .toReversed();
}
