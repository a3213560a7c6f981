/**
 * `controller`: reconciles the PreprovisioningImages of a cluster until it is stopped. Each replica serves the images of all
 * objects; the leader writes their status, which the BareMetal Operator reads.
 */

import { resolve } from 'node:path';
import { type ExitCode, type Io, ioWith } from '../../io/io.ts';
import { noteFailedReload, type ServerLog } from '../../http/server/serverLog.ts';
import { throttleLog } from '../../http/server/throttledLog.ts';
import { endNow, listenToSignals } from '../../io/process.ts';
import { pageMessage } from '../../service/pageMessage.ts';
import { openLog, runService, withLog } from '../../service/serviceLog.ts';
import { readLogForm, type Setup } from '../../service/setup.ts';
import type { ControllerOptions } from './options.ts';
import { type ControllerPlan, readPlan } from './plan.ts';
import { LeaderElection } from '../../kube/leaderElection.ts';
import { report } from '../../io/report/report.ts';
import { isLoopback } from '../../http/server/listenAddress.ts';
import { formatDuration } from '../../service/status/figures.ts';
import { imageFiles } from '../../hosts/plan/baseImages.ts';
import { printable } from '../../core/foreignText.ts';
import type { Diagnostic } from '../../core/finding.ts';
import { CliError } from '../../core/errors.ts';
import { knownDigests } from '../../io/files/fileDigests.ts';
import { createModifiedDates } from '../../http/server/answer/modifiedDates.ts';
import { ApiClient } from '../../kube/kubernetesClient.ts';
import { secrets } from '../../kube/objects.ts';
import { startServiceServer } from '../../service/service.ts';
import { createInputWatches, endService } from '../../service/serviceRun.ts';
import { keptInputs, type Servable } from '../../service/serviceState.ts';
import { buildOutcome } from './buildOutcome.ts';
import { createImageCatalog } from './imageCatalog.ts';
import { type ImageFactory, openImageFactory } from './imageFactory.ts';
import type { ReadSecret } from './buildRequest.ts';
import { Informers } from './informers.ts';
import { ReconcileLoop } from './reconcileLoop.ts';
import { addControllerMetrics, countImages, describeImages } from './service.ts';
import { pause, systemClock } from '../../io/clock.ts';

/** Runs until SIGTERM or SIGINT, then returns 0. With a JSON log, an error that ends it earlier is an event of the log. */
export async function controller(options: ControllerOptions, io: Io): Promise<ExitCode> {
  const form = readLogForm(options.log, io);
  const log = openLog(io, form);
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
        const isStuck = await replica.stop(signals.nextStop()); // a second signal means: do not wait
        signals.ignore();
        if (isStuck) endNow('SIGTERM');
      }
    },
  );
}

export type Replica = Awaited<ReturnType<typeof startReplica>>;

const LOADING = 'settings and images are still loading';

/** Listens first, so that an address in use is reported before anything is read. Throws CliError, and UsageError for invalid settings. */
export async function startReplica(
  options: ControllerOptions,
  plan: ControllerPlan,
  { io, log }: { readonly io: Io; readonly log: ServerLog },
) {
  const { cluster, identity, lease, namespace: watched, setup } = plan;
  const { drainTime, settings } = options;
  let leadership: { readonly isLeader: boolean; stop(): Promise<void> } | undefined;
  const isLeader = (): boolean => leadership?.isLeader ?? false;
  const problems = throttleLog(log);
  const onError = (error: Error): void => {
    const hint = error instanceof CliError ? error.hint : undefined;
    problems.note('warning', 'cluster', { message: printable(error.message), hint });
  };
  const client = new ApiClient(cluster, { note: io.note });
  const informers = new Informers(client, watched, onError, (owner) => reconcileLoop.changed(owner));
  const closeCluster = async (): Promise<void> => {
    await informers.close();
    await client.close();
  };
  const readSecret: ReadSecret = (key) => client.get(secrets, key); // each time, as Secrets are not cached
  const digests = knownDigests(new Map());
  const beginDates = createModifiedDates();
  const { cacheSize } = setup;
  let counters: ReturnType<typeof addControllerMetrics> | undefined;
  const reconcileLoop = new ReconcileLoop({
    client,
    informers,
    log,
    build: async (image) => {
      const release = state.catalog().acquire(); // the files of the snapshot stay open meanwhile
      try {
        const factory = state.current()?.factory;
        if (factory === undefined)
          throw new CliError(LOADING, { code: 'ERR_BUSY', hint: 'wait for /readyz' });
        return await buildOutcome(image, factory, service.links, readSecret, io);
      } finally {
        release();
      }
    },
    wrote: (outcome) => counters?.wrote(outcome),
    failed: () => counters?.failed(),
  });
  const service = await startServiceServer<Servable & { readonly factory: ImageFactory }>(setup, {
    take: async (links, _before, signal) => {
      const loadIo = ioWith(io, { signal });
      const shared = { links, digests, beginDates, cacheSize, io: loadIo };
      const factory = await openImageFactory(options, shared);
      const catalog = createImageCatalog(factory, informers, readSecret, io);
      return { factory, catalog, bases: factory.bases, close: async () => factory.close() };
    },
    command: 'controller',
    inputs: 'settings and images',
    log,
    problem: (snapshot) => {
      if (snapshot === undefined) return LOADING;
      return informers.lastContact === undefined ? 'the initial list of objects is still loading' : undefined;
    },
    hosts: (_, transfers) => describeImages(informers.all(), transfers),
    ownerOf: () => undefined,
    countHosts: () => countImages(informers.all()),
    addMetrics: (registry) => {
      counters = addControllerMetrics(registry, isLeader, reconcileLoop, informers);
    },
  }).catch(async (error: unknown) => {
    await closeCluster();
    throw error;
  });
  const { server, state } = service;
  const inputs = createInputWatches(() => void reload());
  const reload = async (): Promise<void> => {
    await inputs.accept();
    await server.reloadCertificates();
    const load = async (): Promise<void> => {
      await state.load();
      log.note('info', 'loaded', {});
      reconcileLoop.startOver();
    };
    await state.reload(load, (error) =>
      noteFailedReload(log, 'reload', error, keptInputs(state, 'settings and images')),
    );
  };
  if (setup.log === 'text') report(io, pageMessage(setup, service.links));
  let isEnding = false;
  return {
    origin: server.origin,
    get isLeader() {
      return isLeader();
    },
    /** Resolves when the replica serves images and takes part in the election. Throws CliError for invalid settings or images. */
    begin: async (): Promise<void> => {
      await inputs.add(async () => (settings === undefined ? [] : [resolve(io.cwd, settings)]));
      await state.load();
      await inputs.add(async () => imageFiles(state.current()?.factory.bases.values()));
      await informers.synced;
      if (isEnding) return;
      log.note('info', 'ready', {
        url: setup.publicUrl ?? server.origin,
        cluster: printable(cluster.description),
        namespace: watched ?? 'all namespaces',
      });
      for (const { severity, message, hint } of startDiagnostics(setup, server.origin)) {
        log.note(severity, 'check', { message, hint });
      }
      leadership =
        lease === undefined
          ? leadAlways(reconcileLoop)
          : new LeaderElection({
              client,
              lease,
              identity,
              lead: (signal) => reconcileLoop.lead(signal),
              changed: (leader) => log.note('info', 'leader', { leader: leader ?? 'none', self: identity }),
              onError,
            });
    },
    /** If settings or images are invalid, the replica keeps the previous ones. Never rejects. */
    reload,
    /**
     * Releases the Lease first, and stops serving last, so that other replicas take over without a gap.
     * @param hurry ends all waiting when it resolves
     * @returns whether a read does not end
     */
    stop: async (hurry: Promise<NodeJS.Signals>): Promise<boolean> => {
      isEnding = true;
      inputs.stop();
      server.announceEnd();
      state.cancel();
      const isServing = leadership !== undefined; // otherwise load balancers do not use this replica yet
      if (isServing && drainTime > 0) {
        const time = formatDuration(drainTime / 1000);
        const message = `waiting ${time} for load balancers and then for transfers; press Ctrl-C again to stop at once`;
        log.note('info', 'stopping', { message });
      }
      await leadership?.stop();
      const isHurried = new AbortController();
      void hurry.then(() => isHurried.abort());
      if (isServing) await pause(systemClock, drainTime, isHurried.signal);
      return endService(service, { grace: setup.grace, hurry, close: closeCluster });
    },
  };
}

function startDiagnostics({ hasKey, listen, publicUrl }: Setup, origin: string): Diagnostic[] {
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

/** Leads without an election, as the only replica. */
function leadAlways(reconcileLoop: ReconcileLoop): { readonly isLeader: boolean; stop(): Promise<void> } {
  const end = new AbortController();
  reconcileLoop.lead(end.signal);
  return {
    get isLeader() {
      return !end.signal.aborted;
    },
    stop: async () => end.abort(),
  };
}
