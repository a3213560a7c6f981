/**
 * The mock Ironic: the part of Ironic's API that a ramdisk calls first. It never starts a step on an agent, so nothing is
 * deployed, cleaned or written to a disk. After a heartbeat, it contacts the agent at its callback URL, as Ironic does.
 */

import type { ListenAddress } from '../../http/server/listenAddress.ts';
import { defaultLimits, type ServerLimits, startServer } from '../../http/server/server.ts';
import type { ServerLog } from '../../http/server/serverLog.ts';
import type { CollectedInventory } from '../ironic/inspection.ts';
import { createNodeStore, resetAgent } from '../ironic/nodes.ts';
import type { TrialEvent } from '../timeline/events.ts';
import type { Machines } from '../timeline/machines.ts';
import type { TrialPage } from '../report/trialPage.ts';
import { createApiAnswerer } from './apiAnswers.ts';
import { type AskBack, createCallbackChecker } from './callbackChecker.ts';
import { createCertificates } from './createdCertificates.ts';

export interface IronicApiOptions {
  readonly listen: ListenAddress;
  /** Names and addresses for the certificate; undefined for plain HTTP. */
  readonly tlsNames: readonly string[] | undefined;
  readonly machines: Machines;
  /** UUIDs of nodes by the names of hosts. Default: new ones. */
  readonly uuids?: ReadonlyMap<string, string>;
  readonly observe: (event: TrialEvent) => void;
  /** Gets each accepted inventory. Its errors become the problem of the inspection event. */
  readonly saveInventory?: ((inventory: CollectedInventory) => Promise<void>) | undefined;
  /** What a host expects otherwise than its agent reports, as clauses. */
  readonly compare?: ((inventory: CollectedInventory) => readonly string[]) | undefined;
  readonly page?: TrialPage | undefined;
  readonly askBack: AskBack;
  readonly requiredSteps: readonly string[];
  /** Gets messages about too many connections and about errors of the server; requests are events. */
  readonly log?: ServerLog | undefined;
  readonly limits?: ServerLimits | undefined;
}

export type IronicApi = Readonly<Awaited<ReturnType<typeof startIronicApi>>>;

const apiLimits: ServerLimits = {
  ...defaultLimits,
  connections: 1024,
  areFixed: true,
  headerSize: 64 * 1024, // for 1000 MAC addresses
};

/** Milliseconds to send pending responses on shutdown. */
const GRACE = 1000;

/** @throws CliError if it cannot listen on the address; UsageError if a name is invalid in a certificate */
export async function startIronicApi(options: IronicApiOptions) {
  const { observe, page, tlsNames, log = silentLog, limits = apiLimits } = options;
  const nodes = createNodeStore(options.machines, options.uuids);
  const callbacks = createCallbackChecker(options);
  const created = tlsNames === undefined ? undefined : await createCertificates(tlsNames);
  const answer = createApiAnswerer({
    nodes,
    observe,
    onHeartbeat: callbacks.onHeartbeat,
    save: options.saveInventory,
    compare: options.compare,
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
    /** `https://192.0.2.1:6385`: base URL for clients on this machine. */
    origin: server.origin,
    port: server.port,
    /** PEM of the certificate authority, for `--ca-file`; undefined for plain HTTP. */
    ca: created?.ca,
    /**
     * Resets the node of a machine that was powered on or reset: its next lookup gets a token, as if Ironic had rebooted it.
     * Without this call, a machine without requests for two minutes counts as rebooted.
     * @param mac in lower case
     */
    resetMachine: (mac: string): void => {
      const node = nodes.findByMac(mac);
      if (node !== undefined) resetAgent(node);
    },
    /** Resolves when all agents that have sent a heartbeat are contacted. */
    idle: callbacks.idle,
    /** Resolves when all connections are closed, including those to agents. */
    stop: async (): Promise<void> => {
      await Promise.all([callbacks.stop(), server.stop(GRACE)]);
    },
  };
}

const silentLog: ServerLog = { request: () => undefined, note: () => undefined };
