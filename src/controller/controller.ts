/**
 * `controller`: reconciles the PreprovisioningImages of a cluster until it is stopped. Each replica serves the images of all
 * objects; the leader writes their status, which the BareMetal Operator reads.
 */

import type { ExitCode, Io } from '../io/io.ts';
import { createServerLog, noteFailedReload, type ServerLog } from '../serve/http/serverLog.ts';
import { keepHeapSmall, listenToSignals } from '../io/process.ts';
import { runService, withLog } from '../serve/serviceLog.ts';
import { readLogForm } from '../serve/setup.ts';
import { type ControllerOptions, openSettings } from './settings.ts';
import { type ControllerPlan, readPlan } from './plan.ts';
import { CliError } from '../core/errors.ts';
import { ApiClient } from './kube/kubernetesClient.ts';
import { EventRecorder } from './kube/eventRecorder.ts';
import { LeaderElection } from './kube/leaderElection.ts';
import { isLoopback } from '../serve/http/listenAddress.ts';
import { type Watch, watchFiles } from '../io/files/watchFiles.ts';
import { printable } from '../io/report/terminalText.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { type ControllerService, type Role, startControllerService } from './service.ts';
import { type Clock, pause, systemClock } from '../io/clock.ts';

/**
 * Runs until SIGTERM or SIGINT, then returns 0. With a JSON log, an error that ends it earlier is an event of the log.
 * @throws CliError, UsageError
 */
export async function controller(options: ControllerOptions, io: Io): Promise<ExitCode> {
  keepHeapSmall();
  const form = readLogForm(options, io);
  const log = createServerLog(io.stderr, form);
  const serviceIo = withLog(io, { log, form });
  return runService(
    { log, form },
    () => readPlan({ ...options, log: form }, serviceIo),
    async (plan) => {
      const replica = await startReplica(options, plan, { io: serviceIo, log });
      const signals = listenToSignals(() => void replica.reload());
      const stopped = signals.nextStop();
      try {
        await Promise.race([replica.begin(), stopped]);
        await stopped;
        return 0;
      } finally {
        await replica.stop(signals.nextStop()); // a second signal means: do not wait
        signals.ignore();
      }
    },
  );
}

export interface Replica {
  /** The URL for this machine. */
  readonly origin: string;
  readonly isLeader: boolean;
  /** Resolves when the replica serves images and takes part in the election. Throws CliError for invalid settings or images. */
  begin(): Promise<void>;
  /** Reloads settings and images. If they are invalid, the replica keeps the previous ones. Never rejects. */
  reload(): Promise<void>;
  /** @param hurry ends all waiting when it resolves */
  stop(hurry: Promise<void>): Promise<void>;
}

/** Milliseconds between two checks for changed files. */
const LOOK_INTERVAL = 2000;
/** Rate limit of requests to the API server: enough for a thousand new objects in half a minute. */
const RATE_LIMIT = { perSecond: 100, burst: 200 };
const CONTROLLER = 'metal3.io/ironic-coreos';

interface ReplicaContext {
  readonly io: Io;
  readonly log: ServerLog;
}

/** Listens first, so that an address in use is reported before anything is read. Throws CliError. */
export async function startReplica(
  options: ControllerOptions,
  plan: ControllerPlan,
  context: ReplicaContext,
): Promise<Replica> {
  const service = await startService(options, plan, context);
  const { informers, metrics, role, settings, state } = service;
  const watches: Watch[] = [];
  let isEnding = false;
  const endWatches = (): void => {
    for (const watch of watches.splice(0)) watch.stop();
  };
  const reload = async (): Promise<void> => reloadAll(service);
  return {
    origin: service.server.origin,
    get isLeader() {
      return role.current?.isLeader ?? false;
    },
    begin: async () => {
      await state.load();
      metrics.catalogReloaded('success');
      await informers.synced;
      const files = async (): Promise<string[]> => [...settings.watched, ...imageFiles(service)];
      watches.push(await watchFiles(files, { interval: LOOK_INTERVAL, changed: () => void reload() }));
      if (isEnding) return endWatches();
      logStart(service);
      role.current = startLeading(service);
      role.isAnnounced = true;
    },
    reload,
    stop: async (hurry) => {
      isEnding = true;
      endWatches();
      await stopAll(service, hurry);
    },
  };
}

async function startService(
  options: ControllerOptions,
  plan: ControllerPlan,
  { io, log }: ReplicaContext,
): Promise<ControllerService> {
  const { cluster, identity } = plan;
  const client = new ApiClient(cluster, { pace: RATE_LIMIT, note: io.note });
  const electionClient = new ApiClient(cluster);
  const onError = createErrorLog(log);
  const recorder = new EventRecorder({ client, controller: CONTROLLER, instance: identity, onError });
  const role: Role = { isAnnounced: false, current: undefined };
  let service: ControllerService | undefined;
  const settings = openSettings(
    {
      text: options.settings,
      client,
      namespace: cluster.namespace,
      changed: () => void (service && reloadAll(service)),
      onError,
    },
    io,
  );
  const parts = { plan, client, electionClient, recorder, settings, role, onError, log, io };
  service = await startControllerService(options, parts).catch(async (error: unknown) => {
    await Promise.all([settings.close(), client.close(), electionClient.close()]);
    throw error;
  });
  return service;
}

function logStart({ log, plan, server }: ControllerService): void {
  const { cluster, namespace, setup } = plan;
  log.note('info', 'ready', {
    url: setup.publicUrl ?? server.origin,
    cluster: printable(cluster.description),
    namespace: namespace ?? 'all namespaces',
  });
  for (const { severity, message, hint } of startDiagnostics(plan, server.origin)) {
    log.note(severity, 'check', { message, hint });
  }
}

function startDiagnostics({ setup }: ControllerPlan, origin: string): Diagnostic[] {
  const { hasKey, listen, publicUrl } = setup;
  const messages: Diagnostic[] = [];
  if (!hasKey) {
    const message = 'no key file: the key that signs URLs is random for each start and each replica';
    messages.push({
      severity: 'warning',
      message,
      hint: 'pass the same key to all replicas with --key-file FILE',
    });
  }
  if (publicUrl === undefined) {
    const message = `URLs start with ${origin}, which other machines may not reach`;
    messages.push({
      severity: 'warning',
      message,
      hint: 'pass --public-url URL with the address that BMCs and Ironic use',
    });
  }
  if (isLoopback(listen)) {
    const message = 'listening on loopback only; other machines cannot connect';
    messages.push({ severity: 'info', message, hint: 'pass --listen :8084 for other machines' });
  }
  return messages;
}

function imageFiles({ state }: ControllerService): string[] {
  const bases = [...(state.current()?.factory.bases.values() ?? [])];
  return bases.flatMap(({ inputs }) => [...inputs.values()].map(({ path }) => path));
}

function startLeading(service: ControllerService): Role['current'] {
  const { electionClient, log, plan, onError } = service;
  if (plan.lease === undefined) return leadAlways(service);
  const { identity, lease } = plan;
  return new LeaderElection({
    client: electionClient,
    lease,
    identity,
    lead: async (signal) => service.reconcileLoop.lead(signal),
    changed: (leader) => log.note('info', 'leader', { leader: leader ?? 'none', self: identity }),
    onError,
  });
}

/** Leads without an election, as the only replica. */
function leadAlways({ reconcileLoop }: ControllerService): Role['current'] {
  const end = new AbortController();
  const done = reconcileLoop.lead(end.signal);
  return {
    get isLeader() {
      return !end.signal.aborted;
    },
    stop: async () => {
      end.abort();
      await done;
    },
  };
}

async function reloadAll(service: ControllerService): Promise<void> {
  const { log, reconcileLoop, metrics, server, state } = service;
  await server.reloadCertificates();
  try {
    await state.load();
  } catch (error) {
    metrics.catalogReloaded('failure');
    noteFailedReload(log, 'reload', error, 'still serving the previous settings and images');
    return;
  }
  metrics.catalogReloaded('success');
  log.note('info', 'loaded', {});
  reconcileLoop.startOver();
}

/** Releases the Lease first, and stops serving last, so that other replicas take over without a gap. */
async function stopAll(service: ControllerService, hurry: Promise<void>): Promise<void> {
  const { client, electionClient, log, plan, recorder, role } = service;
  const { informers, server, settings, state } = service;
  server.announceEnd();
  await role.current?.stop();
  await recorder.stop();
  const isHurried = new AbortController();
  void hurry.then(() => isHurried.abort());
  if (role.isAnnounced) await pause(systemClock, plan.drainTime, isHurried.signal);
  void hurry.then(async () => server.stop(0));
  const { aborted } = await server.stop(plan.setup.grace);
  await Promise.all([informers.close(), settings.close(), state.close()]);
  await Promise.all([client.close(), electionClient.close()]);
  log.note('info', 'stopped', { aborted });
}

/** Milliseconds until the same message is logged again. */
const REPEAT_INTERVAL = 60_000;
/** The number of messages that are remembered. */
const MAX_MESSAGES = 100;

interface LoggedMessage {
  readonly at: number;
  /** How often the message was suppressed since. */
  suppressed: number;
}

/**
 * Logs problems with the cluster. An unavailable API server causes the same message every second for each request, so a
 * message that was logged recently is only counted.
 */
export function createErrorLog(log: ServerLog, clock: Clock = systemClock): (error: Error) => void {
  const known = new Map<string, LoggedMessage>(); // the oldest message first
  return (error) => {
    const message = printable(error.message);
    const before = known.get(message);
    if (before !== undefined && clock.now() - before.at < REPEAT_INTERVAL) {
      before.suppressed += 1;
      return;
    }
    known.delete(message);
    known.set(message, { at: clock.now(), suppressed: 0 });
    const [oldest = ''] = known.keys();
    if (known.size > MAX_MESSAGES) known.delete(oldest);
    log.note('warning', 'cluster', {
      message,
      hint: error instanceof CliError ? error.hint : undefined,
      suppressed: before?.suppressed === 0 ? undefined : before?.suppressed,
    });
  };
}
