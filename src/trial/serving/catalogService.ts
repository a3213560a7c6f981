/** Serves files without authentication, and reports each fetch as an event. */

import { CliError, only } from '../../core/errors.ts';
import { createAccessCheck } from '../../http/server/accessCheck.ts';
import type { ListenAddress } from '../../http/server/listenAddress.ts';
import { createAnswerer } from '../../http/server/requests.ts';
import { defaultLimits, type RunningServer, startServer } from '../../http/server/server.ts';
import type { ServerLog } from '../../http/server/serverLog.ts';
import type { Catalog } from '../../http/server/answer/resource.ts';
import {
  createTransferLog,
  type TransferStart,
  type TransferWatcher,
} from '../../http/server/answer/transfers.ts';
import type { FetchEvent } from '../timeline/events.ts';

/** Throws CliError if the port is not available. */
export async function startCatalogService(
  find: Catalog['find'],
  listen: ListenAddress,
  log: ServerLog,
  observe: (event: FetchEvent) => void,
): Promise<RunningServer> {
  return startServer({
    listen,
    tls: undefined,
    limits: { ...defaultLimits, areFixed: true },
    log,
    answer: createAnswerer({
      catalog: () => ({ find, acquire: () => () => undefined }),
      access: createAccessCheck({ signer: undefined, tokens: [], isOpen: true }),
      transfers: createTransferLog([createFetchWatcher(observe)]),
      log,
      pages: new Map(),
    }),
  });
}

/** For an address that does not come from `--listen`: throws the error of a server that cannot listen with another hint. */
export function throwWithHint(hint: string): (error: unknown) => never {
  return only(CliError, (error) => {
    const { cause, code, message } = error;
    if (code !== 'ERR_LISTEN') throw error;
    throw new CliError(message, { code, hint, cause });
  });
}

export const SERVE_LISTEN_HINT = 'pass another address or port with --serve-listen';

/** Milliseconds between two events of a running transfer. */
const PROGRESS_INTERVAL = 1000;

/**
 * @param observe gets an event for the first fetch of an image by a client, every second while a transfer runs, and when it
 *   ends
 */
export function createFetchWatcher(
  observe: (event: FetchEvent) => void,
  now = (): Date => new Date(),
): TransferWatcher {
  /** Times of the last events, by client and path. */
  const observed = new Map<string, number>();
  return {
    began: (start) => {
      const key = keyOf(start);
      if (observed.has(key)) return;
      const at = now();
      observed.set(key, at.getTime());
      observe({ ...factsOf(start), at, outcome: 'began', bytes: 0 });
    },
    sent: (start, _, received) => {
      const key = keyOf(start);
      const at = now();
      if (at.getTime() - (observed.get(key) ?? 0) < PROGRESS_INTERVAL) return;
      observed.set(key, at.getTime());
      observe({ ...factsOf(start), at, outcome: 'began', bytes: received() });
    },
    ended: (event, received) => {
      const { ended: at, outcome } = event;
      observe({ ...factsOf(event), at, outcome, bytes: received() });
    },
  };
}

function keyOf({ client, path }: TransferStart): string {
  return `${client} ${path}`;
}

function factsOf({ artifact, client, host, path, size }: TransferStart) {
  return { kind: 'fetch', client, artifact, host, path, size } as const;
}
