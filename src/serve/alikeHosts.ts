/** Hosts whose names lead to one path are refused before anything is rendered, where no token tells them apart. */

import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import type { WantedArtifacts } from '../hosts/artifacts/artifacts.ts';
import { ownedFiles, ownedScripts, refuseSharedPaths } from '../hosts/artifacts/pathOwners.ts';
import type { ServeOptions } from './options.ts';

export interface AlikeHosts {
  readonly hosts: readonly InventoryHost[];
  /** What the files of machines that are not listed are called before the ending; empty where there are none. */
  readonly unlisted: readonly string[];
  readonly wanted: WantedArtifacts;
}

/** @throws CliError that names both hosts */
export function refuseAlikeHosts(
  { once, open }: Pick<ServeOptions, 'once' | 'open'>,
  { hosts, unlisted, wanted }: AlikeHosts,
): void {
  const chosen = hosts.filter(({ name }) => (once ?? name) === name);
  // The boot scripts of all hosts have one token.
  refuseSharedPaths(ownedScripts(chosen, wanted), 'rename one of the two hosts');
  if (open !== true) return;
  const owners = [
    ...chosen.map(({ name }) => ({ stem: name, owner: name })),
    ...unlisted.map((stem) => ({ stem, owner: 'the machines that are not listed' })),
  ];
  refuseSharedPaths(
    ownedFiles(owners, wanted),
    'rename one of them, select fewer files with --artifacts, or omit --open: the URL of each host then has its own token',
  );
}
