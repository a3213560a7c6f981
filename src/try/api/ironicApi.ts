/**
 * The part of Ironic's API that a ramdisk meets first, on a port of this machine. Its agents are never told to do
 * anything: nothing is deployed, cleaned or written to a disk.
 */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { formatSize } from '../../formats/messageText.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { makeCertificates } from '../io/madeCertificates.ts';
import { writeFileAtomically } from '../../io/files/outputFile.ts';
import type { ListenAddress } from '../../serve/http/listenAddress.ts';
import { defaultLimits, type ServerLimits, startServer } from '../../serve/http/server.ts';
import type { ServerLog } from '../../serve/http/serverLog.ts';
import type { CollectedInventory } from '../ironic/inspection.ts';
import { createNodeStore, type ExpectedNode, forgetAgent } from '../ironic/nodes.ts';
import type { TrialEvent } from '../timeline/events.ts';
import { createApiAnswerer } from './apiAnswers.ts';
import { type AskBack, createAskingBack } from './askBack.ts';

export type { CollectedInventory };

export interface IronicApiOptions {
  readonly listen: ListenAddress;
  /** What the certificate is made for: names and addresses by which ramdisks reach this; undefined for plain HTTP. */
  readonly tlsNames: readonly string[] | undefined;
  readonly expected: readonly ExpectedNode[];
  /** Is told everything as it happens, in order. */
  readonly observe: (event: TrialEvent) => void;
  /** Is given each inventory that was taken. What it throws becomes a problem of the inspection's event. */
  readonly saveInventory?: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  /** Which callback URLs are asked back: those at the client's own address, any, or none. */
  readonly askBack: AskBack;
  /** Is told of too many connections, and of failures of the server itself; requests are events. */
  readonly log?: ServerLog | undefined;
  readonly limits?: ServerLimits | undefined;
}

export interface IronicApi {
  /** `https://192.0.2.1:6385`: how it can be reached from this machine. */
  readonly origin: string;
  readonly port: number;
  /** PEM of the authority, for `--ca-file`; undefined for plain HTTP. */
  readonly ca: string | undefined;
  /**
   * A machine was switched on or reset: its agent may ask for a token again, as if Ironic had done that. Where nobody
   * tells so, a machine that has been silent for two minutes counts as booted anew.
   * @param mac in lower case
   */
  bootedAnew(mac: string): void;
  /** Resolves when all connections are closed and nothing is asked back any more. */
  stop(): Promise<void>;
}

/** A request has time for some megabytes; its headers have room for a thousand MAC addresses. */
const apiLimits: ServerLimits = {
  ...defaultLimits,
  connections: 1024,
  headerSize: 64 * 1024,
  requestTime: 60_000,
};

/** Milliseconds that answers have to be sent when it ends. */
const GRACE = 1000;

/** @throws CliError where nothing can listen there; UsageError where no certificate can be made for the names */
export async function startIronicApi(options: IronicApiOptions): Promise<IronicApi> {
  const { listen, tlsNames, expected, observe, askBack, log = silentLog, limits = apiLimits } = options;
  const nodes = createNodeStore(expected);
  const asking = createAskingBack({ askBack, observe });
  const made = tlsNames === undefined ? undefined : await makeCertificates(tlsNames);
  const answer = createApiAnswerer({
    nodes,
    observe,
    heard: (agent, client) => asking.heard(agent, client),
    save: options.saveInventory,
    scheme: made === undefined ? 'http' : 'https',
  });
  const server = await startServer({
    listen,
    tls: made?.tls,
    limits,
    answer,
    log,
    refused: ({ client, problem }) => observe({ kind: 'refusal', at: new Date(), client, problem }),
  });
  return {
    origin: server.origin,
    port: server.port,
    ca: made?.ca,
    bootedAnew: (mac) => {
      const node = nodes.findByMac(mac);
      if (node !== undefined) forgetAgent(node);
    },
    stop: async () => {
      await Promise.all([asking.stop(), server.stop(GRACE)]);
    },
  };
}

const silentLog: ServerLog = { request: () => undefined, note: () => undefined };

/** Bytes of all files of strangers, who may be anybody on the network. */
const MOST_OF_STRANGERS = 1024 ** 3;
/** Only for the user: an inventory tells addresses, serial numbers, and how a BMC is reached. */
const MODE = 0o600;

/**
 * Makes the folder, and gives what saves an inventory there: under the name of its host, or of a stranger under the UUID
 * of its node. A later one of the same machine takes the place of the earlier one.
 * @param mostOfStrangers bytes of all their files; nothing more of them is saved then
 * @throws CliError where there can be no such folder
 */
export async function openInventoryFolder(
  folder: string,
  { cwd }: Pick<Io, 'cwd'>,
  mostOfStrangers = MOST_OF_STRANGERS,
): Promise<(inventory: CollectedInventory) => Promise<void>> {
  const root = resolve(cwd, folder);
  await mkdir(root, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder (--save)', action: 'create' });
  });
  const strangers = new Map<string, number>();
  const write = async ({ body, name, node }: CollectedInventory): Promise<void> => {
    const file = `${fileNameOf(name ?? node)}.json`;
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    if (name === undefined && !hasRoom(strangers, { node, size: text.length, most: mostOfStrangers })) {
      throw new CliError(`the inventories of unknown machines take more than ${formatSize(mostOfStrangers)}`);
    }
    await writeFileAtomically(join(root, file), text, { mode: MODE, shownPath: join(folder, file) });
  };
  // One after the other, as those that wait are bytes, and those that are written take several times as much.
  let last: Promise<unknown> = Promise.resolve();
  return async (inventory) => {
    const written = last.then(() => write(inventory));
    last = written.catch(() => undefined); // told by whoever has asked for it
    await written;
  };
}

interface Wish {
  readonly node: string;
  readonly size: number;
  readonly most: number;
}

function hasRoom(sizes: Map<string, number>, { node, size, most }: Wish): boolean {
  const others = [...sizes].reduce((sum, [uuid, known]) => (uuid === node ? sum : sum + known), 0);
  if (others + size > most) return false;
  sizes.set(node, size);
  return true;
}

/** MAC addresses and UUIDs are fine, too, and lead out of no folder. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the inventory is of a machine whose name cannot be that of a file');
}
