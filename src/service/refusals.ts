/** Requests of machines and BMCs that the server answered with 401 or 404: what is said of them, and on which row. */

import type { ArtifactKind } from '../core/artifacts.ts';
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

/** How a request was refused, behind the name of its file, and what to do about it. */
const refused: Readonly<Record<RefusedFile['reason'], readonly [clause: string, hint: string]>> = {
  'no-key': [
    ' without a key in the URL',
    'use the URL of the host as serve prints it, which contains the key; or pass --open to serve',
  ],
  'invalid-key': [
    ' with a key that is not valid',
    'use the current URL of the host; pass --key-file, so that keys stay valid after a restart, and a longer --expires',
  ],
  'not-served': [
    ', which is not served at this path',
    'use one of the URLs of the host, in the details of its row',
  ],
};

/** @param file undefined if the path names no file of a host, and may contain a secret */
function describeRefusal(
  { client, path, reason, status }: RefusedFile,
  file: RequestedFile | undefined,
  at: Date,
): HostRefusal {
  const name = file === undefined ? 'a file' : path.slice(path.lastIndexOf('/') + 1);
  const [clause, usual] = refused[reason];
  const isLeftOut = reason === 'not-served' && file?.isServed === false;
  const hint = isLeftOut ? `add ${file.artifact} to --artifacts` : usual;
  return {
    at,
    client,
    artifact: file?.artifact,
    message: `requested ${name}${clause} (status ${status})`,
    hint,
  };
}

export interface RequestedFile {
  readonly host: string;
  readonly artifact: ArtifactKind;
  readonly isServed: boolean;
}

export type Refusals = Readonly<ReturnType<typeof createRefusals>>;

/** @param ownerOf undefined for a path that is of no host */
export function createRefusals(
  ownerOf: (path: string) => RequestedFile | undefined,
  now = (): Date => new Date(),
) {
  const byHost = new Map<string, HostRefusal>();
  return {
    /** @returns the host, if the path names a file of it */
    note: (request: RefusedFile) => {
      const owner = ownerOf(request.path);
      const refusal = describeRefusal(request, owner, now());
      if (owner !== undefined) byHost.set(owner.host, refusal);
      return { host: owner?.host, refusal };
    },
    /** The last one of a file of the host. */
    of: (host: string): HostRefusal | undefined => byHost.get(host),
  };
}
