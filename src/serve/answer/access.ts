/** Who may fetch what. A grant is what a request has shown; how it is shown is the matter of `signedPath.ts` and the server. */

import type { CatalogEntry } from './resource.ts';

/**
 * `all`: an operator. `host`: whoever has the URL of one host: all that is its own, and what all share. `boot`: whoever boots
 * from the provisioning network: boot scripts of every host, what all share, and what unknown machines boot.
 */
export type Grant =
  | { readonly kind: 'all' }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'boot' };

/** Stands for all machines that no inventory lists, where the name of a host does. */
export const unknownMachines = '*';

/** Whose files the grant opens; undefined for those of all hosts. */
export function ownerOf(grant: Grant): string | undefined {
  if (grant.kind === 'all') return undefined;
  return grant.kind === 'host' ? grant.host : unknownMachines;
}

/** Whether the grant is enough to fetch it. */
export function permits(grant: Grant, { artifact, host }: Pick<CatalogEntry, 'artifact' | 'host'>): boolean {
  if (grant.kind === 'all') return true;
  if (grant.kind === 'host') return host === undefined ? artifact !== 'script' : host === grant.host;
  return host === undefined || host === unknownMachines || artifact === 'script';
}
