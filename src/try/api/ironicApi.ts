/**
 * The part of Ironic's API that a ramdisk meets first, on a port of this machine. Its agents are never told to do
 * anything: nothing is deployed, cleaned or written to a disk.
 */

import { makeCertificates } from '../io/madeCertificates.ts';
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
