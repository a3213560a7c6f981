/**
 * The mock Ironic: the part of Ironic's API that a ramdisk calls first. It never starts a step on an agent, so nothing is
 * deployed, cleaned or written to a disk. After a heartbeat, it contacts the agent at its callback URL, as Ironic does.
 */

import { join, resolve } from 'node:path';
import { diagnosticOf } from '../../../core/diagnostic.ts';
import { CliError, onCliError } from '../../../core/errors.ts';
import { isDiskFull } from '../../../io/files/fileErrors.ts';
import { report } from '../../../io/report/report.ts';
import { formatCount, formatSize } from '../../../formats/messageText.ts';
import { machineNameProblem } from '../../../formats/hostName.ts';
import type { Io } from '../../../io/io.ts';
import { createCertificates } from './createdCertificates.ts';
import { makeFolder, writeFileAtomically } from '../../../io/files/newFile.ts';
import type { ListenAddress } from '../../../http/server/listenAddress.ts';
import { defaultLimits, type ServerLimits, startServer } from '../../../http/server/server.ts';
import type { ServerLog } from '../../../http/server/serverLog.ts';
import type { CollectedInventory } from '../ironic/inspection.ts';
import { createNodeStore, type ExpectedNode, resetAgent } from '../ironic/nodes.ts';
import type { TrialPage } from '../trialPage.ts';
import type { TrialEvent } from '../timeline/events.ts';
import { createApiAnswerer } from './apiAnswers.ts';
import { type AskBack, createCallbackChecker } from './callbackChecker.ts';

export interface IronicApiOptions {
  readonly listen: ListenAddress;
  /** Names and addresses for the certificate; undefined for plain HTTP. */
  readonly tlsNames: readonly string[] | undefined;
  readonly expected: readonly ExpectedNode[];
  /** Gets all events in order. */
  readonly observe: (event: TrialEvent) => void;
  /** Gets each accepted inventory. Its errors become the problem of the inspection event. */
  readonly saveInventory?: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  /** Is answered beside the API. */
  readonly page?: TrialPage | undefined;
  /** Callback URLs to contact. */
  readonly askBack: AskBack;
  /** Names of steps that each agent must have. */
  readonly requiredSteps: readonly string[];
  /** Gets messages about too many connections and about errors of the server; requests are events. */
  readonly log?: ServerLog | undefined;
  readonly limits?: ServerLimits | undefined;
}

export interface IronicApi {
  /** `https://192.0.2.1:6385`: base URL for clients on this machine. */
  readonly origin: string;
  readonly port: number;
  /** PEM of the certificate authority, for `--ca-file`; undefined for plain HTTP. */
  readonly ca: string | undefined;
  /**
   * Resets the node of a machine that was powered on or reset: its next lookup gets a token, as if Ironic had rebooted it.
   * Without this call, a machine without requests for two minutes counts as rebooted.
   * @param mac in lower case
   */
  resetMachine(mac: string): void;
  /** Resolves when all agents that have sent a heartbeat are contacted. */
  idle(): Promise<void>;
  /** Resolves when all connections are closed, including those to agents. */
  stop(): Promise<void>;
}

/** Enough time for a request of several MiB, and enough header space for 1000 MAC addresses. */
const apiLimits: ServerLimits = {
  ...defaultLimits,
  connections: 1024,
  headerSize: 64 * 1024,
  requestTime: 60_000,
};

/** Milliseconds to send pending responses on shutdown. */
const GRACE = 1000;

/** @throws CliError if it cannot listen on the address; UsageError if a name is invalid in a certificate */
export async function startIronicApi(options: IronicApiOptions): Promise<IronicApi> {
  const { expected, observe, page, tlsNames, log = silentLog, limits = apiLimits } = options;
  const nodes = createNodeStore(expected);
  const callbacks = createCallbackChecker(options);
  const created = tlsNames === undefined ? undefined : await createCertificates(tlsNames);
  const answer = createApiAnswerer({
    nodes,
    observe,
    onHeartbeat: (agent, client) => callbacks.onHeartbeat(agent, client),
    save: options.saveInventory,
    scheme: created === undefined ? 'http' : 'https',
  });
  const server = await startServer({
    listen: options.listen,
    tls: created?.tls,
    limits,
    answer: page === undefined ? answer : page.answerer(answer),
    log,
    refused: ({ client, problem }) => observe({ kind: 'refusal', at: new Date(), client, problem }),
  });
  return {
    origin: server.origin,
    port: server.port,
    ca: created?.ca,
    resetMachine: (mac) => {
      const node = nodes.findByMac(mac);
      if (node !== undefined) resetAgent(node);
    },
    idle: () => callbacks.idle(),
    stop: async () => {
      await Promise.all([callbacks.stop(), server.stop(GRACE)]);
    },
  };
}

const silentLog: ServerLog = { request: () => undefined, note: () => undefined };

/** Bytes of all files of unknown machines, because any client in the network can send inventories. */
const MAX_UNKNOWN_SIZE = 1024 ** 3;
/** Only for the user: an inventory contains addresses, serial numbers, and the address of the BMC. */
const MODE = 0o600;

/** Bytes of the inventories for which the disk has no space. */
const MAX_WAITING_SIZE = 64 * 1024 ** 2;

export interface InventoryFolder {
  /** Rejects with a CliError if it is not saved. */
  readonly save: (inventory: CollectedInventory) => Promise<void>;
  /** Writes what did not fit on the disk earlier, or reports how much is missing. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a folder for inventories. The file name is the name of the host, or the UUID of the node for unknown machines. A later
 * inventory of the same machine replaces the earlier one. A full disk is reported once; what does not fit is written later.
 * @param maxUnknownSize maximum number of bytes of all files of unknown machines
 * @throws CliError if the folder cannot be created
 */
export async function openInventoryFolder(
  folder: string,
  io: Pick<Io, 'cwd' | 'report' | 'stderr'>,
  maxUnknownSize = MAX_UNKNOWN_SIZE,
): Promise<InventoryFolder> {
  const root = resolve(io.cwd, folder);
  await makeFolder(root, folder, 0o700);
  const unknownSizes = new Map<string, number>();
  const waiting = new Map<string, string>();
  let full: CliError | undefined;
  const writeWaiting = async (): Promise<void> => {
    for (const [file, text] of waiting) {
      waiting.delete(file);
      try {
        await writeFileAtomically(join(root, file), text, { mode: MODE, shownPath: join(folder, file) });
      } catch (error) {
        if (!(error instanceof CliError) || !isDiskFull(error)) throw error;
        const size = [...waiting.values()].reduce((sum, { length }) => sum + length, text.length);
        if (size <= MAX_WAITING_SIZE) waiting.set(file, text);
        if (full === undefined) report(io, { ...diagnosticOf(error), severity: 'warning' });
        full = error;
        throw new CliError('the disk is full', { code: error.code, cause: error });
      }
    }
    full = undefined;
  };
  const write = async ({ body, name, node }: CollectedInventory): Promise<void> => {
    const file = `${fileNameOf(name ?? node)}.json`;
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    if (name === undefined && !hasRoom(unknownSizes, node, Buffer.byteLength(text), maxUnknownSize)) {
      throw new CliError(
        `the inventories of unknown machines are larger than ${formatSize(maxUnknownSize)}`,
        { code: 'ERR_TOO_LARGE' },
      );
    }
    waiting.set(file, text);
    await writeWaiting();
  };
  // One at a time: a waiting inventory is only bytes, but writing one takes several times its memory.
  let last: Promise<unknown> = Promise.resolve();
  return {
    save: async (inventory) => {
      const written = last.then(() => write(inventory));
      last = written.catch(() => undefined); // the caller reports the error
      await written;
    },
    close: async () => {
      await last;
      if (full === undefined) return;
      const { hint, sentence } = full;
      const what = `the inventory of ${formatCount(waiting.size, 'machine')}`;
      const isWritten = await writeWaiting().then(
        () => true,
        onCliError(() => false),
      );
      if (isWritten)
        report(io, { severity: 'info', message: `${what} is saved now; the disk had no space before` });
      else report(io, { severity: 'error', message: `${what} is not saved: ${sentence}`, hint });
    },
  };
}

/**
 * @param size bytes of the file of this node
 * @param most maximum number of bytes of all files
 */
function hasRoom(sizes: Map<string, number>, node: string, size: number, most: number): boolean {
  const others = [...sizes].reduce((sum, [uuid, known]) => (uuid === node ? sum : sum + known), 0);
  if (others + size > most) return false;
  sizes.set(node, size);
  return true;
}

/** A safe file name for a host name, MAC address or UUID. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the name of the machine is not valid as a file name', { code: 'ERR_HOST' });
}
