/**
 * `controller`: reconciles the PreprovisioningImages of a cluster until it is stopped. Each replica serves the images of all
 * objects; the leader writes their status, which the BareMetal Operator reads.
 */

import type { ExitCode, Io } from '../../io/io.ts';
import { createServerLog, noteFailedReload, type ServerLog } from '../../http/server/serverLog.ts';
import { keepHeapSmall, listenToSignals } from '../../io/process.ts';
import { pageMessage, showLiveHosts } from '../serve/liveStatus.ts';
import { runService, withLog } from '../serve/serviceLog.ts';
import { readLogForm } from '../serve/setup.ts';
import type { ControllerOptions } from './settings.ts';
import { type ControllerPlan, readPlan } from './plan.ts';
import { LeaderElection } from '../../kube/leaderElection.ts';
import { report } from '../../io/report/report.ts';
import { isLoopback } from '../../http/server/listenAddress.ts';
import { formatDuration } from '../serve/status/figures.ts';
import { imageFiles } from '../../hosts/artifacts/baseImages.ts';
import { type Watch, watchFiles } from '../../io/files/watchFiles.ts';
import { printable } from '../../core/foreignText.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { closeParts, type ControllerService, startControllerService } from './service.ts';
import { pause, systemClock } from '../../io/clock.ts';

/**
 * Runs until SIGTERM or SIGINT, then returns 0. With a JSON log, an error that ends it earlier is an event of the log.
 * @throws CliError, UsageError
 */
export async function controller(options: ControllerOptions, io: Io): Promise<ExitCode> {
  keepHeapSmall();
  const form = readLogForm(options.log, io);
  const log = createServerLog(io.stderr, form);
  const serviceIo = withLog(io, { log, form });
  return runService(
    { log, form },
    () => readPlan({ ...options, log: form }, serviceIo),
    async (plan) => {
      const replica = await startReplica(options, plan, { io: serviceIo, log });
      const signals = listenToSignals(() => void replica.reload(), io.signal);
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
  stop(hurry: Promise<unknown>): Promise<void>;
}

/** Milliseconds between two checks for changed files. */
const LOOK_INTERVAL = 2000;

/** Listens first, so that an address in use is reported before anything is read. Throws CliError. */
export async function startReplica(
  options: ControllerOptions,
  plan: ControllerPlan,
  context: { readonly io: Io; readonly log: ServerLog },
): Promise<Replica> {
  let started: ControllerService | undefined;
  let leadership: Leadership | undefined;
  const isLeader = (): boolean => leadership?.isLeader ?? false;
  const watches: Watch[] = [];
  const reload = async (): Promise<void> => {
    // Otherwise, after SIGHUP the watch would report the same changes, and all files would be loaded again.
    await Promise.all(watches.map((watch) => watch.accept()));
    if (started !== undefined) await reloadAll(started);
  };
  const changed = (): void => void reload();
  const service = await startControllerService(options, plan, { ...context, isLeader, changed });
  started = service;
  const { informers, server, settings, state } = service;
  const { setup } = plan;
  if (setup.log === 'text') report(context.io, pageMessage(setup, service.links));
  const live = showLiveHosts(service, setup, context.io);
  let isEnding = false;
  const endWatches = (): void => {
    for (const watch of watches.splice(0)) watch.stop();
  };
  return {
    origin: server.origin,
    get isLeader() {
      return isLeader();
    },
    begin: async () => {
      await state.load();
      await informers.synced;
      const files = async (): Promise<string[]> => {
        const bases = state.current()?.factory.bases.values();
        return [...settings.watched, ...imageFiles(bases)];
      };
      watches.push(await watchFiles(files, { interval: LOOK_INTERVAL, changed }));
      if (isEnding) return endWatches();
      logStart(service);
      leadership = startLeading(service);
    },
    reload,
    stop: async (hurry) => {
      isEnding = true;
      endWatches();
      await stopAll(service, leadership, hurry);
      live.end();
    },
  };
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
  const messages: readonly (Diagnostic & { readonly isTrue: boolean })[] = [
    {
      isTrue: !hasKey,
      severity: 'warning',
      message: 'no key file: the key that signs URLs is random for each start and each replica',
      hint: 'pass the same key to all replicas with --key-file FILE',
    },
    {
      isTrue: publicUrl === undefined,
      severity: 'warning',
      message: `URLs start with ${origin}, which other machines may not reach`,
      hint: 'pass --public-url URL with the address that BMCs and Ironic use',
    },
    {
      isTrue: isLoopback(listen),
      severity: 'info',
      message: 'listening on loopback only; other machines cannot connect',
      hint: 'pass --listen :8084 for other machines',
    },
  ];
  return messages.filter(({ isTrue }) => isTrue);
}

type Leadership = Pick<LeaderElection, 'isLeader' | 'stop'>;

function startLeading(service: ControllerService): Leadership {
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
function leadAlways({ reconcileLoop }: ControllerService): Leadership {
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
  const { log, reconcileLoop, server, state } = service;
  await server.reloadCertificates();
  const load = async (): Promise<void> => {
    await state.load();
    log.note('info', 'loaded', {});
    reconcileLoop.startOver();
  };
  await state.reload(load, (error) =>
    noteFailedReload(log, 'reload', error, 'still serving the previous settings and images'),
  );
}

/**
 * Releases the Lease first, and stops serving last, so that other replicas take over without a gap.
 * @param leadership undefined if load balancers do not use this replica yet
 */
async function stopAll(
  service: ControllerService,
  leadership: Leadership | undefined,
  hurry: Promise<unknown>,
): Promise<void> {
  const { log, plan, recorder, server, state } = service;
  server.announceEnd();
  if (leadership !== undefined && plan.drainTime > 0) {
    const time = formatDuration(plan.drainTime / 1000);
    const message = `waiting ${time} for load balancers and then for transfers; press Ctrl-C again to stop at once`;
    log.note('info', 'stopping', { message });
  }
  await leadership?.stop();
  await recorder.stop();
  const isHurried = new AbortController();
  void hurry.then(() => isHurried.abort());
  if (leadership !== undefined) await pause(systemClock, plan.drainTime, isHurried.signal);
  void hurry.then(async () => server.stop(0));
  const { aborted } = await server.stop(plan.setup.grace);
  await Promise.all([state.close(), closeParts(service)]);
  log.note('info', 'stopped', { aborted });
}
