/**
 * The mock Ironic: the part of Ironic's API that a ramdisk calls first. It never sends commands to agents, so nothing is
 * deployed, cleaned or written to a disk. After a heartbeat, it contacts the agent at its callback URL, as Ironic does. A
 * client can send any URL, so by default only URLs with the address of the client are contacted.
 */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setMaxListeners } from 'node:events';
import { CliError } from '../../core/errors.ts';
import { formatSize } from '../../formats/messageText.ts';
import { machineNameProblem, parseHost } from '../../formats/hostName.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { createCertificates } from './createdCertificates.ts';
import { writeFileAtomically } from '../../io/files/newFile.ts';
import type { ListenAddress } from '../../serve/http/listenAddress.ts';
import { defaultLimits, type ServerLimits, startServer } from '../../serve/http/server.ts';
import type { ServerLog } from '../../serve/http/serverLog.ts';
import type { CollectedInventory } from '../ironic/inspection.ts';
import { createNodeStore, type ExpectedNode, resetAgent } from '../ironic/nodes.ts';
import type { CallbackEvent, TrialEvent } from '../timeline/events.ts';
import { createApiAnswerer } from './apiAnswers.ts';
import { AgentError, type AgentReply, askAgent } from './askAgent.ts';
import { plainText } from '../../serve/http/textResponse.ts';
import type { Agent } from '../ironic/heartbeat.ts';

export type { CollectedInventory };

export interface IronicApiOptions {
  readonly listen: ListenAddress;
  /** Names and addresses for the certificate; undefined for plain HTTP. */
  readonly tlsNames: readonly string[] | undefined;
  readonly expected: readonly ExpectedNode[];
  /** Gets all events in order. */
  readonly observe: (event: TrialEvent) => void;
  /** Gets each accepted inventory. Its errors become the problem of the inspection event. */
  readonly saveInventory?: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  /** Callback URLs to contact. */
  readonly askBack: AskBack;
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
  const { listen, tlsNames, expected, observe, askBack, log = silentLog, limits = apiLimits } = options;
  const nodes = createNodeStore(expected);
  const callbacks = createCallbackChecker({ askBack, observe });
  const created = tlsNames === undefined ? undefined : await createCertificates(tlsNames);
  const answer = createApiAnswerer({
    nodes,
    observe,
    onHeartbeat: (agent, client) => callbacks.onHeartbeat(agent, client),
    save: options.saveInventory,
    scheme: created === undefined ? 'http' : 'https',
  });
  const server = await startServer({
    listen,
    tls: created?.tls,
    limits,
    answer,
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

/**
 * Creates the folder and returns a function that saves an inventory in it. The file name is the name of the host, or the UUID
 * of the node for unknown machines. A later inventory of the same machine replaces the earlier one.
 * @param maxUnknownSize maximum number of bytes of all files of unknown machines
 * @throws CliError if the folder cannot be created
 */
export async function openInventoryFolder(
  folder: string,
  { cwd }: Pick<Io, 'cwd'>,
  maxUnknownSize = MAX_UNKNOWN_SIZE,
): Promise<(inventory: CollectedInventory) => Promise<void>> {
  const root = resolve(cwd, folder);
  await mkdir(root, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder (--save)', action: 'create' });
  });
  const unknownSizes = new Map<string, number>();
  const write = async ({ body, name, node }: CollectedInventory): Promise<void> => {
    const file = `${fileNameOf(name ?? node)}.json`;
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    if (name === undefined && !hasRoom(unknownSizes, { node, size: text.length, most: maxUnknownSize })) {
      throw new CliError(
        `the inventories of unknown machines are larger than ${formatSize(maxUnknownSize)}`,
        { code: 'ERR_TOO_LARGE' },
      );
    }
    await writeFileAtomically(join(root, file), text, { mode: MODE, shownPath: join(folder, file) });
  };
  // One at a time: a waiting inventory is only bytes, but writing one takes several times its memory.
  let last: Promise<unknown> = Promise.resolve();
  return async (inventory) => {
    const written = last.then(() => write(inventory));
    last = written.catch(() => undefined); // the caller reports the error
    await written;
  };
}

interface SaveRequest {
  readonly node: string;
  readonly size: number;
  readonly most: number;
}

function hasRoom(sizes: Map<string, number>, { node, size, most }: SaveRequest): boolean {
  const others = [...sizes].reduce((sum, [uuid, known]) => (uuid === node ? sum : sum + known), 0);
  if (others + size > most) return false;
  sizes.set(node, size);
  return true;
}

/** A safe file name for a host name, MAC address or UUID. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the name of the machine is not valid as a file name', {
    code: 'ERR_HOST',
  });
}

/** Callback URLs to contact: those with the address of the client, all, or none. */
export type AskBack = 'own address' | 'anywhere' | 'never';

export interface CallbackChecker {
  /** Contacts the agent after a heartbeat from `client`. An agent that has answered is not contacted again until it changes. */
  onHeartbeat(agent: Agent, client: string): void;
  /** Resolves when all connections to agents are closed. */
  stop(): Promise<void>;
}

interface AskBackOptions {
  readonly askBack: AskBack;
  readonly observe: (event: CallbackEvent) => void;
}

/** Agents that are contacted at the same time; others are contacted after their next heartbeat. */
const MAX_PARALLEL = 32;
/** Maximum number of remembered nodes with an answer. */
const MAX_KNOWN = 10_000;

export function createCallbackChecker({ askBack, observe }: AskBackOptions): CallbackChecker {
  const done = new Map<string, string>();
  const running = new Map<string, Promise<void>>();
  const end = new AbortController();
  setMaxListeners(0, end.signal);

  const report = (
    agent: Agent,
    client: string,
    result: Pick<CallbackEvent, 'problem' | 'reason' | 'summary'>,
  ): void => {
    if (end.signal.aborted) return;
    const url = plainText(agent.callbackUrl, MAX_URL);
    observe({ kind: 'callback', at: new Date(), client, node: agent.node.uuid, url, ...result });
  };
  /** Do not contact the agent again until it changes. */
  const settle = (agent: Agent): void => {
    if (done.size >= MAX_KNOWN) done.clear();
    done.set(agent.node.uuid, identityOf(agent));
  };
  const ask = async (agent: Agent, client: string): Promise<void> => {
    const { callbackUrl, verifyCa, node } = agent;
    try {
      const reply = await askAgent({
        callbackUrl,
        verifyCa,
        token: node.token.current(),
        signal: end.signal,
      });
      settle(agent);
      report(agent, client, { problem: undefined, reason: undefined, summary: describe(reply) });
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const { message: problem, reason } = error;
      report(agent, client, { problem, reason, summary: undefined });
    }
  };

  return {
    onHeartbeat: (agent, client) => {
      const { uuid } = agent.node;
      if (askBack === 'never' || agent.callbackUrl === '' || end.signal.aborted) return;
      if (done.get(uuid) === identityOf(agent) || running.has(uuid) || running.size >= MAX_PARALLEL) return;
      const problem = askBack === 'anywhere' ? undefined : foreignProblem(agent.callbackUrl, client);
      if (problem !== undefined) {
        settle(agent);
        report(agent, client, { problem, reason: 'other-address', summary: undefined });
        return;
      }
      running.set(
        uuid,
        ask(agent, client).finally(() => void running.delete(uuid)),
      );
    },
    stop: async () => {
      end.abort();
      await Promise.all(running.values());
    },
  };
}

/** Characters. */
const MAX_URL = 300;

function identityOf({ callbackUrl, node }: Agent): string {
  return `${callbackUrl} ${node.token.current() ?? ''}`;
}

/** Why a URL does not contain the address of the client; undefined if it does. */
function foreignProblem(callbackUrl: string, client: string): string | undefined {
  const host = URL.canParse(callbackUrl) ? new URL(callbackUrl).hostname : '';
  if (canonical(host) === canonical(client)) return undefined;
  const shown = plainText(host, MAX_URL);
  return `not contacted: the URL contains ${shown}, but the heartbeat came from ${client}`;
}

/** Canonical form of an IPv6 address; `[::1]` and `::1` are the same. */
function canonical(address: string): string {
  const host = parseHost(address.replace(/^\[|\]$/g, ''));
  if (host.kind !== 'ipv6') return address;
  return URL.canParse(`http://[${host.address}]`) ? new URL(`http://[${host.address}]`).hostname : address;
}

function describe({ version, commands }: AgentReply): string {
  const run = commands.length === 0 ? 'no commands yet' : `commands: ${commands.join(', ')}`;
  return plainText(`agent ${version ?? '(unknown version)'}, ${run}`, MAX_URL);
}
