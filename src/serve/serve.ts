/**
 * `serve`: images of all hosts from one copy of what they share, for as long as it runs. Nothing is written; an inventory
 * or image that changes is read anew, and takes the place of the old one when it is right.
 */

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError, UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { isLoopback } from './http/listenAddress.ts';
import { createServerLog } from './http/serverLog.ts';
import { keepHeapSmall, listenToSignals } from '../io/process.ts';
import { watchFiles } from '../io/files/watchFiles.ts';
import { report } from '../io/report/report.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { readLogForm, readSetup, type Setup } from './setup.ts';
import type { ServeOptions } from './options.ts';
import { plainSecretRemarks, type Snapshot } from './snapshot.ts';
import { loadSnapshot, reload, type RunningService, startService } from './service.ts';
import { loggingFailure, runService, withLog } from './serviceLog.ts';
import { mainArtifact, printUrls } from './urlList.ts';

/** Milliseconds between two looks whether files have changed. */
const LOOK_INTERVAL = 2000;

/**
 * Ends with 0 after SIGTERM or SIGINT, and with `--once` when the image has been fetched. What ends it otherwise is a line
 * of the log where that is JSON, but for a command line that cannot be understood.
 * @throws CliError, UsageError
 */
export async function serve(options: ServeOptions, io: Io): Promise<ExitCode> {
  keepHeapSmall();
  const form = readLogForm(options, io);
  const target = { log: createServerLog(io.stderr, form), form };
  const serviceIo = withLog(io, target);
  return runService(
    { ...target, io },
    {
      read: (talk) => readSetup({ ...options, log: form }, talk),
      run: async (setup) => {
        const service = await startService(options, setup, { io: serviceIo, log: target.log });
        return runUntilStopped(options, setup, { service, io: serviceIo });
      },
    },
  );
}

/** What runs, and where. */
interface Running {
  readonly service: RunningService;
  readonly io: Io;
}

async function runUntilStopped(
  options: ServeOptions,
  setup: Setup,
  { service, io }: Running,
): Promise<ExitCode> {
  const readAnew = async (): Promise<void> => {
    const before = service.state.current();
    await reload(service);
    if (service.state.current() !== before) reportRemarks(secretRemarks(service), setup, { service, io });
  };
  const signals = listenToSignals(() => void readAnew());
  const stopped = signals.nextStop();
  const watching = { interval: LOOK_INTERVAL, changed: () => void readAnew() };
  const watches = [await watchFiles(() => hostFiles(options, io), watching)];
  try {
    // Logged before the end, which is the last line.
    return await loggingFailure({ log: service.log, form: setup.log }, async () => {
      await Promise.race([loadSnapshot(service), stopped]);
      requireHost(options, service);
      const images = imageFiles(service);
      watches.push(await watchFiles(async () => images, watching));
      await reportStart(options, setup, { service, io });
      await Promise.race([stopped, whenFetched(options, service)]);
      return 0;
    });
  } finally {
    for (const watch of watches) watch.stop();
    void signals.nextStop().then(() => service.server.stop(0)); // who asks again does not want to wait
    const { cut } = await service.server.stop(setup.grace);
    signals.ignore();
    await service.state.close();
    service.log.note('info', 'stopped', { cut });
  }
}

/** Throws UsageError for a host that is asked for and is not there, CliError where it is wrong. */
function requireHost({ once }: ServeOptions, { state }: RunningService): void {
  const snapshot = state.current();
  if (once === undefined || snapshot === undefined) return;
  const host = snapshot.hosts.find(({ name }) => name === once);
  if (host === undefined) {
    throw new UsageError(`there is no host ${JSON.stringify(once)}`, {
      hint: 'take a name from the inventory',
    });
  }
  if (host.isServed) return;
  throw new CliError(`${once} cannot be served`, { code: 'ERR_HOST', hint: 'mend what is reported above' });
}

async function reportStart(options: ServeOptions, setup: Setup, { service, io }: Running): Promise<void> {
  const { links, log, state } = service;
  const snapshot = state.current();
  if (snapshot === undefined) return; // it ends already
  log.note('info', 'ready', { url: links.publicUrl });
  const { port } = new URL(links.publicUrl);
  const remarks = [
    ...startRemarks(setup, port),
    ...imageRemarks(options, snapshot),
    ...secretRemarks(service),
  ];
  reportRemarks(remarks, setup, { service, io });
  if (setup.list !== undefined) await printUrls(snapshot, { links, form: setup.list }, io);
}

function reportRemarks(remarks: readonly Diagnostic[], { log: form }: Setup, { service, io }: Running): void {
  report(withLog(io, { log: service.log, form }), ...remarks);
}

/** Whoever wants configs alone says so with `--artifacts ign`. */
function imageRemarks({ artifacts }: ServeOptions, { bases }: Pick<Snapshot, 'bases'>): Diagnostic[] {
  if (bases.size > 0 || artifacts !== undefined) return [];
  return [
    {
      severity: 'warning',
      message: 'no image is given, so only Ignition configs are served',
      hint: 'pass --iso FILE, or --images FOLDER, or --kernel, --initramfs and --rootfs; or --artifacts ign',
    },
  ];
}

function secretRemarks({ links, state }: RunningService): Diagnostic[] {
  return plainSecretRemarks(state.current()?.secrets ?? new Map(), links.publicUrl);
}

/** @param port that the service listens on */
function startRemarks({ hasKey, listen, publicUrl, signer, tls, tokens }: Setup, port: string): Diagnostic[] {
  const isLocal = isLoopback(listen);
  const remarks: readonly (Diagnostic & { readonly isTrue: boolean })[] = [
    {
      isTrue: signer === undefined && !isLocal,
      severity: 'warning',
      message: 'whoever reaches this server can fetch every config, with all its secrets',
      hint: 'leave --open out',
    },
    {
      isTrue: !isLocal && tls === undefined,
      severity: 'warning',
      message: 'configs and their URLs travel in plain text',
      hint: 'serve the provisioning network only, or give --tls-cert and --tls-key',
    },
    {
      isTrue: isLocal && publicUrl === undefined,
      severity: 'info',
      message: 'only programs of this machine reach this server',
      hint: `for others: --listen :${port} --public-url http://ADDRESS:${port}`,
    },
    {
      isTrue: signer !== undefined && !hasKey,
      severity: 'info',
      message: 'URLs are good until this server ends',
      hint: 'to keep them: --key-file FILE',
    },
    {
      isTrue: signer !== undefined && tokens.length === 0 && tls?.clientCa === undefined,
      severity: 'info',
      message: 'nobody can see the status page and /metrics',
      hint: 'give --token-file FILE, with a token from: openssl rand -hex 32',
    },
  ];
  return remarks.filter(({ isTrue }) => isTrue);
}

/** What is named on the command line; files that an inventory names are read anew on SIGHUP. */
async function hostFiles({ inventory, nmstateDir }: ServeOptions, io: Io): Promise<string[]> {
  if (nmstateDir === undefined) return inventory === undefined ? [] : [resolve(io.cwd, inventory)];
  const folder = resolve(io.cwd, nmstateDir);
  const names = await readdir(folder).catch(() => []);
  return [folder, ...names.map((name) => join(folder, name))];
}

function imageFiles({ state }: RunningService): string[] {
  const bases = [...(state.current()?.bases.values() ?? [])];
  return bases.flatMap(({ inputs }) => [...inputs.values()].map(({ path }) => path));
}

/** Never without `--once`: its image, and what that fetches in its turn. */
async function whenFetched({ once }: ServeOptions, { state, transfers }: RunningService): Promise<void> {
  if (once === undefined) return new Promise(() => undefined);
  const image = mainArtifact(state.current()?.wanted.configs ?? []);
  const needsRootfs = image === 'minimal-iso' || image === 'initramfs';
  await Promise.all([
    transfers.whenFetched(once, [image]),
    needsRootfs ? transfers.whenFetched(undefined, ['rootfs']) : undefined,
  ]);
}
