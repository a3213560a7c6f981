/** Access control: the grant of a request decides which files it may fetch. `signedPath.ts` and the server determine the grant. */

import type { ArtifactKind } from '../../../core/artifacts.ts';

/**
 * `all`: an operator. `host`: a client with the URL of a host; it may fetch the files of this host and shared files. `boot`:
 * a machine on the provisioning network; it may fetch all boot scripts, shared files, and the files for unlisted machines.
 */
export type Grant =
  | { readonly kind: 'all' }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'boot' };

/** In place of a host name: all machines that the inventory does not list. */
export const UNKNOWN_MACHINES = '*';

/** The host to which the grant gives access; undefined for all hosts. */
export function ownerOf(grant: Grant): string | undefined {
  if (grant.kind === 'all') return undefined;
  return grant.kind === 'host' ? grant.host : UNKNOWN_MACHINES;
}

export function permits(
  grant: Grant,
  { artifact, host }: { readonly artifact: ArtifactKind; readonly host: string | undefined },
): boolean {
  if (grant.kind === 'all') return true;
  if (grant.kind === 'host') return host === undefined ? artifact !== 'script' : host === grant.host;
  return host === undefined || host === UNKNOWN_MACHINES || artifact === 'script';
}
