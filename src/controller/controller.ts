/**
 * `controller`: looks after the PreprovisioningImages of a cluster, as long as it runs. Each replica serves the images of
 * all objects; one of them leads, and writes what the BareMetal Operator reads.
 */

import type { ExitCode, Io } from '../io/io.ts';
import { createServerLog, type ServerLog } from '../serve/http/serverLog.ts';
import { keepHeapSmall, listenToSignals } from '../io/process.ts';
import { runService, withLog } from '../serve/serviceLog.ts';
import { readLogForm, type Setup } from '../serve/setup.ts';
import { type ControllerOptions, openSettings, type SettingsSource } from './settings.ts';
import { type ControllerPlan, readPlan } from './plan.ts';
import { CliError } from '../core/errors.ts';
import { createKubernetesClient, type KubernetesClient } from './kube/kubernetesClient.ts';
import { EventRecorder } from './kube/eventRecorder.ts';
import { LeaderElection } from './kube/leaderElection.ts';
import { isLoopback } from '../serve/http/listenAddress.ts';
import { type Watch, watchFiles } from '../io/files/watchFiles.ts';
import { printable } from '../io/report/terminalText.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { type ControllerService, startControllerService } from './service.ts';
import { type Clock, pause, systemClock } from '../io/clock.ts';

/**
 * Runs until SIGTERM or SIGINT, and returns 0 then. An error that ends it earlier is a line of the log where that is JSON.
 * @throws CliError, UsageError
 */
export async function controller(options: ControllerOptions, io: Io): Promise<ExitCode> {
  keepHeapSmall();
  const form = readLogForm(options, io);
  const log = createServerLog(io.stderr, form);
  const serviceIo = withLog(io, { log, form });
  return runService(
    { io, log, form },
    {
      read: (talk) => readPlan({ ...options, log: form }, talk),
      run: async (plan) => {
        const replica = await startReplica(options, plan, { io: serviceIo, log });
        const signals = listenToSignals(() => void replica.reload());
        const stopped = signals.nextStop();
        try {
          await Promise.race([replica.begin(), stopped]);
          await stopped;
          return 0;
        } finally {
          await replica.stop(signals.nextStop()); // who asks again does not want to wait
          signals.ignore();
        }
      },
    },
  );
}

export interface Replica {
  /** How it can be reached from this machine. */
  readonly origin: string;
  readonly isLeader: boolean;
  /** Resolves when images are served, and somebody may lead. Throws CliError where settings or images are wrong. */
  begin(): Promise<void>;
  /** Reads settings and images anew; where they are wrong, what was served is served on. Never rejects. */
  reload(): Promise<void>;
  /** @param hurry cuts short what is waited for */
  stop(hurry: Promise<void>): Promise<void>;
}

/** Milliseconds between two looks whether files have changed. */
const LOOK_INTERVAL = 2000;
/** Requests to the API server: what a thousand new objects need is out within half a minute. */
const PACE = { perSecond: 100, burst: 200 };
const CONTROLLER = 'metal3.io/ironic-coreos';

interface ReplicaContext {
  readonly io: Io;
  readonly log: ServerLog;
}

/** Everything that a replica is made of. */
interface Parts extends ReplicaContext {
  readonly plan: ControllerPlan;
  readonly client: KubernetesClient;
  /** Its requests do not wait behind those of objects. */
  readonly electionClient: KubernetesClient;
  readonly recorder: EventRecorder;
  readonly settings: SettingsSource;
  readonly service: ControllerService;
  readonly role: Role;
  readonly trouble: (error: Error) => void;
}

interface Role {
  /** Load balancers may know of it. */
  isAnnounced: boolean;
  current: Pick<LeaderElection, 'isLeader' | 'stop'> | undefined;
}

/** Listens first: whether it can is known before anything is read. Throws CliError. */
export async function startReplica(
  options: ControllerOptions,
  plan: ControllerPlan,
  surroundings: ReplicaContext,
): Promise<Replica> {
  const parts = await startParts(options, plan, surroundings);
  const { role, service, settings } = parts;
  const watches: Watch[] = [];
  let isEnding = false;
  const endWatches = (): void => {
    for (const watch of watches.splice(0)) watch.stop();
  };
  const reload = async (): Promise<void> => reloadAll(parts);
  return {
    origin: service.server.origin,
    get isLeader() {
      return role.current?.isLeader ?? false;
    },
    begin: async () => {
      await service.state.load();
      service.metrics.catalogReloaded('success');
      await service.informers.synced;
      const files = async (): Promise<string[]> => [...settings.watched, ...imageFiles(service)];
      watches.push(await watchFiles(files, { interval: LOOK_INTERVAL, changed: () => void reload() }));
      if (isEnding) return endWatches();
      logStart(parts);
      role.current = startLeading(parts);
      role.isAnnounced = true;
    },
    reload,
    stop: async (hurry) => {
      isEnding = true;
      endWatches();
      await stopAll(parts, hurry);
    },
  };
}

async function startParts(
  options: ControllerOptions,
  plan: ControllerPlan,
  { io, log }: ReplicaContext,
): Promise<Parts> {
  const { cluster, identity, namespace, setup } = plan;
  const client = createKubernetesClient(cluster, { pace: PACE, note: io.note });
  const electionClient = createKubernetesClient(cluster);
  const trouble = createTroubleLog(log);
  const recorder = new EventRecorder({ client, controller: CONTROLLER, instance: identity, trouble });
  const role: Role = { isAnnounced: false, current: undefined };
  let parts: Parts | undefined;
  const settings = openSettings(
    {
      text: options.settings,
      client,
      namespace: cluster.namespace,
      changed: () => void (parts && reloadAll(parts)),
      trouble,
    },
    io,
  );
  const isLeader = (): boolean => role.current?.isLeader ?? false;
  const started = { setup, client, namespace, settings, recorder, isLeader, trouble, log, io };
  const service = await startControllerService(options, started).catch(async (error: unknown) => {
    await Promise.all([settings.close(), client.close(), electionClient.close()]);
    throw error;
  });
  parts = { plan, client, electionClient, recorder, settings, service, role, trouble, io, log };
  return parts;
}

function logStart({ log, plan, service }: Parts): void {
  const { cluster, namespace, setup } = plan;
  log.note('info', 'ready', {
    url: setup.publicUrl ?? service.server.origin,
    cluster: printable(cluster.description),
    namespace: namespace ?? 'all namespaces',
  });
  for (const { severity, message, hint } of startDiagnostics(setup, service)) {
    log.note(severity, 'check', { message, hint });
  }
}

function startDiagnostics({ hasKey, listen, publicUrl }: Setup, { server }: ControllerService): Diagnostic[] {
  const remarks: Diagnostic[] = [];
  if (!hasKey) {
    const message = 'the key that signs URLs is new with each start, and another one in each replica';
    remarks.push({ severity: 'warning', message, hint: 'give all replicas the same one: --key-file FILE' });
  }
  if (publicUrl === undefined) {
    const message = `URLs begin with ${server.origin}, which others may not reach`;
    remarks.push({ severity: 'warning', message, hint: 'say how they reach this service: --public-url URL' });
  }
  if (isLoopback(listen)) {
    const message = 'only programs of this machine reach this server';
    remarks.push({ severity: 'info', message, hint: 'for others: --listen :8084' });
  }
  return remarks;
}

function imageFiles({ state }: ControllerService): string[] {
  const bases = [...(state.current()?.factory.bases.values() ?? [])];
  return bases.flatMap(({ inputs }) => [...inputs.values()].map(({ path }) => path));
}

function startLeading(parts: Parts): Role['current'] {
  const { electionClient, log, plan, service, trouble } = parts;
  if (plan.lease === undefined) return leadAlways(service);
  const { identity, lease } = plan;
  return new LeaderElection({
    client: electionClient,
    lease,
    identity,
    lead: async (signal) => service.reconcileLoop.lead(signal),
    changed: (leader) => log.note('info', 'leader', { leader: leader ?? 'nobody', self: identity }),
    trouble,
  });
}

/** There is no other replica that could. */
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

async function reloadAll({ log, service }: Parts): Promise<void> {
  const { reconcileLoop, metrics, server, state } = service;
  await server.reloadCertificates();
  try {
    await state.load();
  } catch (error) {
    metrics.catalogReloaded('failure');
    const { message, hint } =
      error instanceof CliError ? error : new CliError(String(error), { code: 'ERR_INTERNAL' });
    log.note('error', 'reload', { message: `${message}; what was served is served on`, hint });
    return;
  }
  metrics.catalogReloaded('success');
  log.note('info', 'loaded', {});
  reconcileLoop.startOver();
}

/** Others write and serve before this replica stops to serve. */
async function stopAll(parts: Parts, hurry: Promise<void>): Promise<void> {
  const { client, electionClient, log, plan, recorder, role, service, settings } = parts;
  const { server, state, informers } = service;
  server.announceEnd();
  await role.current?.stop();
  await recorder.stop();
  const isHurried = new AbortController();
  void hurry.then(() => isHurried.abort());
  if (role.isAnnounced) await pause(systemClock, plan.drainTime, isHurried.signal);
  void hurry.then(async () => server.stop(0));
  const { cut } = await server.stop(plan.setup.grace);
  await Promise.all([informers.close(), settings.close(), state.close()]);
  await Promise.all([client.close(), electionClient.close()]);
  log.note('info', 'stopped', { cut });
}

/** Milliseconds until the same is told again. */
const SAME_FOR = 60_000;
/** Messages that are remembered. */
const MAX_KNOWN = 100;

interface Told {
  readonly at: number;
  /** How often it has come since, untold. */
  untold: number;
}

/**
 * Logs trouble with the cluster. An API server that is away makes the same trouble every second or so, for each request:
 * what was logged a short while ago is only counted.
 */
export function createTroubleLog(log: ServerLog, clock: Clock = systemClock): (error: Error) => void {
  const known = new Map<string, Told>(); // the one that was told longest ago first
  return (error) => {
    const message = printable(error.message);
    const before = known.get(message);
    if (before !== undefined && clock.now() - before.at < SAME_FOR) {
      before.untold += 1;
      return;
    }
    known.delete(message);
    known.set(message, { at: clock.now(), untold: 0 });
    const [oldest = ''] = known.keys();
    if (known.size > MAX_KNOWN) known.delete(oldest);
    log.note('warning', 'cluster', {
      message,
      hint: error instanceof CliError ? error.hint : undefined,
      untold: before?.untold === 0 ? undefined : before?.untold,
    });
  };
}
