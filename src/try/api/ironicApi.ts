/**
 * The part of Ironic's API that a ramdisk meets first, on a port of this machine. Its agents are never told to do
 * anything: nothing is deployed, cleaned or written to a disk. Agents that have sent a heartbeat are called back, as Ironic
 * does next. Their URLs come from whoever calls, so by default only the caller itself is called back: no client can send
 * this machine anywhere else.
 */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setMaxListeners } from 'node:events';
import { CliError } from '../../core/errors.ts';
import { formatSize } from '../../formats/messageText.ts';
import { machineNameProblem, parseHost } from '../../formats/hostName.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { makeCertificates } from './madeCertificates.ts';
import { writeFileAtomically } from '../../io/files/newFile.ts';
import type { ListenAddress } from '../../serve/http/listenAddress.ts';
import { defaultLimits, type ServerLimits, startServer } from '../../serve/http/server.ts';
import type { ServerLog } from '../../serve/http/serverLog.ts';
import type { CollectedInventory } from '../ironic/inspection.ts';
import { createNodeStore, type ExpectedNode, forgetAgent } from '../ironic/nodes.ts';
import type { CallbackEvent, TrialEvent } from '../timeline/events.ts';
import { createApiAnswerer } from './apiAnswers.ts';
import { AgentError, type AgentReply, askAgent } from './askAgent.ts';
import { plainText } from '../../serve/http/textResponse.ts';
import type { Agent } from '../ironic/heartbeat.ts';

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
      throw new CliError(
        `the inventories of unknown machines take more than ${formatSize(mostOfStrangers)}`,
        { code: 'ERR_TOO_LARGE' },
      );
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

/** MAC addresses and UUIDs are fine, too, and lead out of no folder. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the inventory is of a machine whose name cannot be that of a file', {
    code: 'ERR_HOST',
  });
}

/** Which callback URLs are asked: those at the caller's own address, any, or none. */
export type AskBack = 'own address' | 'anywhere' | 'never';

export interface AskingBack {
  /** After a heartbeat from `client`. An agent that has answered is not asked again until it is another one. */
  heard(agent: Agent, client: string): void;
  /** Resolves when nobody is asked any more. */
  stop(): Promise<void>;
}

interface AskBackOptions {
  readonly askBack: AskBack;
  readonly observe: (event: CallbackEvent) => void;
}

/** Agents that are asked at a time; more are asked after their next heartbeat. */
const MAX_ASKED = 32;
/** Nodes of which is known that they have answered. */
const MAX_KNOWN = 10_000;

export function createAskingBack({ askBack, observe }: AskBackOptions): AskingBack {
  const done = new Map<string, string>();
  const running = new Map<string, Promise<void>>();
  const end = new AbortController();
  setMaxListeners(0, end.signal);

  const tell = (
    agent: Agent,
    client: string,
    result: Pick<CallbackEvent, 'problem' | 'reason' | 'summary'>,
  ): void => {
    if (end.signal.aborted) return;
    const url = plainText(agent.callbackUrl, MAX_URL);
    observe({ kind: 'callback', at: new Date(), client, node: agent.node.uuid, url, ...result });
  };
  /** Until the agent is another one, nothing more is to be learnt. */
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
      tell(agent, client, { problem: undefined, reason: undefined, summary: describe(reply) });
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const { message: problem, reason } = error;
      tell(agent, client, { problem, reason, summary: undefined });
    }
  };

  return {
    heard: (agent, client) => {
      const { uuid } = agent.node;
      if (askBack === 'never' || agent.callbackUrl === '' || end.signal.aborted) return;
      if (done.get(uuid) === identityOf(agent) || running.has(uuid) || running.size >= MAX_ASKED) return;
      const problem = askBack === 'anywhere' ? undefined : foreignProblem(agent.callbackUrl, client);
      if (problem !== undefined) {
        settle(agent);
        tell(agent, client, { problem, reason: 'other-address', summary: undefined });
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

/** Why a URL is not that of the client itself; undefined where it is. */
function foreignProblem(callbackUrl: string, client: string): string | undefined {
  const host = URL.canParse(callbackUrl) ? new URL(callbackUrl).hostname : '';
  if (canonical(host) === canonical(client)) return undefined;
  const shown = plainText(host, MAX_URL);
  return `not asked: the URL names ${shown}, but the heartbeat came from ${client}`;
}

/** IPv6 addresses as URLs have them; `[::1]` and `::1` are the same. */
function canonical(address: string): string {
  const host = parseHost(address.replace(/^\[|\]$/g, ''));
  if (host.kind !== 'ipv6') return address;
  return URL.canParse(`http://[${host.address}]`) ? new URL(`http://[${host.address}]`).hostname : address;
}

function describe({ version, commands }: AgentReply): string {
  const run = commands.length === 0 ? 'no commands so far' : `commands: ${commands.join(', ')}`;
  return plainText(`agent ${version ?? 'of unknown version'}, ${run}`, MAX_URL);
}
