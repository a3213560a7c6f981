/** Requests of machines and BMCs that the server answered with 401 or 404: what is said of them, and on which row. */

import type { ArtifactKind } from '../core/artifacts.ts';
import { groupBy } from '../core/lists.ts';
import type { RefusedFile } from '../http/server/requests.ts';

export interface HostRefusal {
  readonly at: Date;
  /** IP address. */
  readonly client: string;
  /** Undefined if the path names no file of the host. */
  readonly artifact: ArtifactKind | undefined;
  /** A clause: `requested worker-0.iso without a key (status 401)`. */
  readonly message: string;
  /** An imperative. */
  readonly hint: string;
}

/** @param file undefined if the path names no file of a host, and may contain a secret */
function describeRefusal(
  { client, path, reason, status }: RefusedFile,
  file: RequestedFile | undefined,
  at: Date,
): HostRefusal {
  const name = file === undefined ? 'a file' : path.slice(path.lastIndexOf('/') + 1);
  const known = { at, client, artifact: file?.artifact };
  switch (reason) {
    case 'no-key':
      return {
        ...known,
        message: `requested ${name} without a key in the URL (status ${status})`,
        hint: 'use the URL of the host as serve prints it, which contains the key; or pass --open to serve',
      };
    case 'invalid-key':
      return {
        ...known,
        message: `requested ${name} with a key that is not valid (status ${status})`,
        hint: 'use the current URL of the host; pass --key-file, so that keys stay valid after a restart, and a longer --expires',
      };
    case 'not-served':
    default:
      return {
        ...known,
        message: `requested ${name}, which is not served at this path (status ${status})`,
        hint:
          file?.isServed === false
            ? `add ${file.artifact} to --artifacts`
            : 'use one of the URLs of the host, in the details of its row',
      };
  }
}

/** The owner of a file by its path. */
export interface RequestedFile {
  readonly host: string;
  readonly artifact: ArtifactKind;
  /** Whether files of this kind are served. */
  readonly isServed: boolean;
}

export interface Refusals {
  /** @returns the host, if the path names a file of it */
  note(request: RefusedFile): { readonly host: string | undefined; readonly refusal: HostRefusal };
  /** By host, the last one of its files, or of a client that has fetched files of this host only. */
  of(hosts: readonly FetchingHost[]): ReadonlyMap<string, HostRefusal>;
}

interface FetchingHost {
  readonly name: string;
  readonly progress: () => readonly { readonly clients: readonly string[] }[];
}

/** Clients that are remembered. */
const MOST_CLIENTS = 1000;

/** @param ownerOf undefined for a path that is of no host */
export function createRefusals(
  ownerOf: (path: string) => RequestedFile | undefined,
  now = (): Date => new Date(),
): Refusals {
  const byHost = new Map<string, HostRefusal>();
  const byClient = new Map<string, HostRefusal>();
  return {
    note: (request) => {
      const owner = ownerOf(request.path);
      const refusal = describeRefusal(request, owner, now());
      if (byClient.size >= MOST_CLIENTS) byClient.clear();
      if (owner === undefined) byClient.set(request.client, refusal);
      else byHost.set(owner.host, refusal);
      return { host: owner?.host, refusal };
    },
    of: (hosts) => {
      const found = new Map(byHost);
      if (byClient.size === 0) return found;
      const fetches = hosts.flatMap(({ name, progress }) =>
        [...new Set(progress().flatMap(({ clients }) => clients))].map((client) => ({ client, name })),
      );
      for (const [client, names] of groupBy(fetches, (one) => one.client)) {
        const [{ name } = { name: '' }, ...others] = names;
        const refusal = byClient.get(client);
        if (refusal === undefined || others.length > 0) continue;
        if ((found.get(name)?.at ?? new Date(0)) < refusal.at) found.set(name, refusal);
      }
      return found;
    },
  };
}
