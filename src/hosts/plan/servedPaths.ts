/**
 * Paths and URLs of a served folder. Each version of a file that boot scripts refer to has its own path: the previous version
 * stays for machines that have read the previous script.
 *
 * Two hosts with valid names may need the same path: `x` with its minimal ISO and `x-minimal` with its ISO, or
 * `mac-52-54-00-12-34-56` and the host with that MAC address. If a request does not identify the host, only one of these
 * hosts can have its files.
 */

import { trimEndOf } from '../../core/trimming.ts';
import { createHash } from 'node:crypto';
import { checkUrl, isPlainText, urlArgumentRules } from '../../kargs/urlArgument.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { ImagePart } from '../../image/bootParts.ts';
import { type ConfigArtifact, configArtifacts, hostArtifacts } from '../../core/artifacts.ts';
import type { Diagnostic } from '../../core/finding.ts';
import { hostScriptPaths, type NetworkLoader } from '../../kargs/folder.ts';

export const MANIFEST = 'manifest.json';
export const CHECKSUMS = 'SHA256SUMS';

/** The length of an ID in paths, in hexadecimal digits. */
export const ID_DIGITS = 12;

/** Whether a path of a host, or of machines that are not listed, contains an ID. */
export function hasArtifactId(path: string): boolean {
  return /^(?:hosts\/[^/]+|discovery(?:\/[^/]+)?)\/[0-9a-f]{12}\/[^/]+$/.test(path);
}

/** Whether machines fetch the file by a URL in a boot script, a config or an image. Boot scripts themselves have fixed paths. */
export function isFetched(path: string): boolean {
  return /^(?:images|hosts|discovery)\/|^(?:html\/)?agents\//.test(path);
}

export function imagePath(id: string, part: ImagePart): string {
  return `images/${id}/ironic-python-agent.${part}`;
}

/** An agent archive. @param id changes with the content */
export function agentPath(id: string, name: string): string {
  return `agents/${id}/${name}`;
}

/** An ID for images of one version; changes with any of them. */
export function imageSetId(
  architecture: string,
  images: readonly { readonly role: string; readonly sha256: string }[],
): string {
  const hash = createHash('sha256');
  for (const { role, sha256 } of images) hash.update(`${role} ${sha256}\n`);
  return `${architecture}-${hash.digest('hex').slice(0, ID_DIGITS)}`;
}

const examples = {
  '--base-url': 'http://192.0.2.1/boot',
  '--public-url': 'http://192.0.2.1:8084',
  '--serve-url': 'http://192.0.2.1:8084',
  IRONIC_HTTP_URL: 'http://192.0.2.1:6180',
};

/** @throws UsageError with the name of the option if boot loaders could not fetch files from this URL */
export function parseBaseUrl(text: string, option: keyof typeof examples = '--base-url'): string {
  const base = trimEndOf(text, '/');
  const { rule: slashes } = urlArgumentRules['boot-url-slashes'];
  const issue = checkUrl(base, ['http', 'https']).find(
    ({ rule, severity }) => severity === 'error' || rule === slashes,
  );
  if (issue !== undefined) {
    throw new UsageError(`${option}: ${issue.message}`, { hint: `use a URL such as ${examples[option]}` });
  }
  if (isPlainText(base) && !/[?#,'\\]/.test(base)) return base;
  throw new UsageError(`${option}: file names cannot be added to this URL`, {
    hint: 'use the URL of a folder, without query, fragment, spaces, quotes and commas',
  });
}

export interface HostFile {
  readonly host: string;
  readonly artifact: ConfigArtifact;
}

export function hostFileName(host: string, artifact: ConfigArtifact): string {
  return host + hostArtifacts[artifact].ending;
}

/**
 * The possible meanings of a file name, the likeliest first. `worker-minimal.iso` has two, as a host may have the name
 * `worker-minimal`: `iso` comes before `minimal-iso` in the list of artifacts.
 */
export function parseHostFileName(name: string): HostFile[] {
  const files: HostFile[] = [];
  for (const artifact of configArtifacts) {
    const { ending } = hostArtifacts[artifact];
    if (!name.endsWith(ending) || name.length === ending.length) continue;
    files.push({ host: name.slice(0, -ending.length), artifact });
  }
  return files;
}

/** A path relative to the folder, and its owner: the name of a host, or a noun phrase for all other machines. */
export interface OwnedPath {
  readonly path: string;
  readonly owner: string;
}

/** The files that `serve` has for each owner, all in one folder: `STEM.iso`, `STEM-minimal.iso` and so on. */
export function* ownedFiles(
  owners: Iterable<{ readonly stem: string; readonly owner: string }>,
  { configs }: { readonly configs: readonly ConfigArtifact[] },
): Generator<OwnedPath> {
  for (const { stem, owner } of owners) {
    for (const artifact of configs) yield { path: hostFileName(stem, artifact), owner };
  }
}

export function* ownedScripts(
  hosts: Iterable<{
    readonly name: string;
    readonly mac?: string | undefined;
    readonly problems: readonly Diagnostic[];
  }>,
  { loaders }: { readonly loaders: readonly NetworkLoader[] },
): Generator<OwnedPath> {
  for (const { name, mac, problems } of hosts) {
    if (problems.length > 0) continue;
    const paths = hostScriptPaths({ name, macs: mac === undefined ? [] : [mac] }, loaders);
    for (const path of paths) yield { path, owner: name };
  }
}

/** @throws CliError that contains both owners if two have the same path */
export function refuseSharedPaths(paths: Iterable<OwnedPath>, hint: string): void {
  const owners = new Map<string, string>();
  for (const { path, owner } of paths) {
    const other = owners.get(path) ?? owner;
    if (other !== owner) {
      throw new CliError(`${other} and ${owner} would have the same path: ${path}`, {
        code: 'ERR_INVENTORY',
        hint,
      });
    }
    owners.set(path, owner);
  }
}
