/** What becomes of the files that an earlier run has made and this one has not. */

import type { Manifest, ManifestFile, ManifestHost } from '../hosts/artifacts/manifest.ts';

/** This run. */
export interface PreparedNow {
  readonly paths: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  /** Hosts of the inventory that are wrong, and keep what they had. */
  readonly wrongHosts: ReadonlySet<string>;
  /** Whether what nobody needs any more goes away. */
  readonly prune: boolean;
}

export interface Leftovers {
  /** Files that stay, as they were. */
  readonly files: readonly ManifestFile[];
  /** The hosts that these are for. */
  readonly hosts: readonly ManifestHost[];
  /** Files that go away, or would with `prune`. */
  readonly unneeded: readonly ManifestFile[];
}

/** Images and archives stay as long as a host that stays boots them. */
export function findLeftovers(previous: Manifest | undefined, now: PreparedNow): Leftovers {
  const old = (previous?.files ?? []).filter(({ path }) => !now.paths.has(path));
  const hosts = (previous?.hosts ?? []).filter(({ name }) => isKept(name, now));
  const names = new Set(hosts.map(({ name }) => name));
  const shared = new Set(hosts.flatMap(({ images, agentArchive }) => [images, agentArchive]));
  const isNeeded = ({ host, path }: ManifestFile): boolean => {
    const id = /^(?:images|agents)\/([^/]+)\//.exec(path)?.[1];
    if (id !== undefined) return shared.has(id);
    return host !== undefined && now.wrongHosts.has(host) && names.has(host);
  };
  const unneeded = old.filter((file) => !isNeeded(file));
  const files = now.prune ? old.filter(isNeeded) : old;
  return { files, hosts: hosts.map((host) => ({ ...host, state: 'kept' })), unneeded };
}

function isKept(name: string, { hosts, wrongHosts, prune }: PreparedNow): boolean {
  return !hosts.has(name) && (wrongHosts.has(name) || !prune);
}
