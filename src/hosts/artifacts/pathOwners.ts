/**
 * Which host each path of a prepared folder or of `serve` belongs to. Two hosts of one inventory may have legal names that
 * lead to one path: `x` with its minimal ISO and `x-minimal` with its ISO, or `mac-52-54-00-12-34-56` and the host with
 * that MAC address. Where a request does not say which host it is for, such hosts cannot both have their files.
 */

import type { InventoryHost } from '../settings/inventoryDocument.ts';
import { hostScriptPaths } from '../../boot/network/bootFiles.ts';
import { CliError } from '../../core/errors.ts';
import { hostFileName } from './servedPaths.ts';
import type { WantedArtifacts } from './artifacts.ts';

/** A path relative to the folder, and whose file it is: the name of a host, or a noun phrase for all other machines. */
export interface OwnedPath {
  readonly path: string;
  readonly owner: string;
}

/** Files that are called after their owner: `STEM.iso`, `STEM-minimal.iso`. */
export interface FileOwner {
  readonly stem: string;
  readonly owner: string;
}

/** The files that `serve` has for each owner, below one path for all of them. */
export function* ownedFiles(
  owners: Iterable<FileOwner>,
  { configs }: Pick<WantedArtifacts, 'configs'>,
): Generator<OwnedPath> {
  for (const { stem, owner } of owners) {
    for (const artifact of configs) yield { path: hostFileName(stem, artifact), owner };
  }
}

/**
 * The boot scripts of each host. Of invalid hosts that have the same name or MAC address, which the inventory reports, the
 * first one counts: it may still have the scripts of an earlier run.
 */
export function* ownedScripts(
  hosts: Iterable<Pick<InventoryHost, 'name' | 'mac' | 'findings'>>,
  { loaders }: Pick<WantedArtifacts, 'loaders'>,
): Generator<OwnedPath> {
  const ofInvalid = new Set<string>();
  for (const { name, mac, findings } of hosts) {
    const paths = hostScriptPaths({ name, macs: mac === undefined ? [] : [mac] }, loaders);
    for (const path of paths) {
      if (findings.length > 0 && ofInvalid.has(path.toLowerCase())) continue;
      if (findings.length > 0) ofInvalid.add(path.toLowerCase());
      yield { path, owner: name };
    }
  }
}

/** The same for file systems on which upper case makes no other name. */
export function* inAnyCase(paths: Iterable<OwnedPath>): Generator<OwnedPath> {
  for (const { path, owner } of paths) yield { path: path.toLowerCase(), owner };
}

/** @throws CliError that names both owners, where two have the same path */
export function refuseSharedPaths(paths: Iterable<OwnedPath>, hint: string): void {
  const owners = new Map<string, string>();
  for (const { path, owner } of paths) {
    const other = owners.get(path) ?? owner;
    if (other !== owner) {
      throw new CliError(`${other} and ${owner} would share one path: ${path}`, {
        code: 'ERR_INVENTORY',
        hint,
      });
    }
    owners.set(path, owner);
  }
}
