/**
 * The host that owns each path of a prepared folder or of `serve`. Two hosts with valid names may need the same path:
 * `x` with its minimal ISO and `x-minimal` with its ISO, or `mac-52-54-00-12-34-56` and the host with that MAC address.
 * If a request does not identify the host, only one of these hosts can have its files.
 */

import type { InventoryHost } from '../settings/inventoryDocument.ts';
import { hostScriptPaths } from '../../boot/network/bootFiles.ts';
import { CliError } from '../../core/errors.ts';
import { hostFileName } from './servedPaths.ts';
import type { WantedArtifacts } from './artifacts.ts';

/** A path relative to the folder, and its owner: the name of a host, or a noun phrase for all other machines. */
export interface OwnedPath {
  readonly path: string;
  readonly owner: string;
}

/** The owner of the files `STEM.iso`, `STEM-minimal.iso` and so on. */
export interface FileOwner {
  readonly stem: string;
  readonly owner: string;
}

/** The files that `serve` has for each owner, all in one folder. */
export function* ownedFiles(
  owners: Iterable<FileOwner>,
  { configs }: Pick<WantedArtifacts, 'configs'>,
): Generator<OwnedPath> {
  for (const { stem, owner } of owners) {
    for (const artifact of configs) yield { path: hostFileName(stem, artifact), owner };
  }
}

/**
 * The boot scripts of each host. If several invalid hosts have the same name or MAC address (which the inventory
 * reports), the first one owns the path: it may still have the scripts of an earlier run.
 */
export function* ownedScripts(
  hosts: Iterable<Pick<InventoryHost, 'name' | 'mac' | 'problems'>>,
  { loaders }: Pick<WantedArtifacts, 'loaders'>,
): Generator<OwnedPath> {
  const ofInvalid = new Set<string>();
  for (const { name, mac, problems } of hosts) {
    const paths = hostScriptPaths({ name, macs: mac === undefined ? [] : [mac] }, loaders);
    for (const path of paths) {
      if (problems.length > 0 && ofInvalid.has(path.toLowerCase())) continue;
      if (problems.length > 0) ofInvalid.add(path.toLowerCase());
      yield { path, owner: name };
    }
  }
}

/** The same paths for case-insensitive file systems. */
export function* inAnyCase(paths: Iterable<OwnedPath>): Generator<OwnedPath> {
  for (const { path, owner } of paths) yield { path: path.toLowerCase(), owner };
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
