/**
 * The machine of `try --qemu`, which has no disk: starts QEMU, reports the state of the machine as events, and stops it at the
 * end. It ends with this program: on Linux, the kernel kills it even if this program is killed.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { createMasker, secretsInUrls } from '../../core/knownSecrets.ts';
import { maskLogLine } from '../../core/masking.ts';
import { asMapping, parseIfJson } from '../../formats/mapping.ts';
import { findProgram } from '../../io/programs.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { type ApiEndpoint } from '../api/apiEndpoint.ts';
import { guestNetwork } from './guestNetwork.ts';
import type { MachineEvent } from '../timeline/events.ts';
import { machineArguments, type Medium } from './qemu.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import { createQuietLog } from '../quietLog.ts';
import type { ImageService } from '../serving/imageService.ts';
import { startFolderService } from './preparedFolderService.ts';
import type { PlannedMachine, TrialPlan } from '../trial.ts';
import { createConsoleWatch } from '../console/consoleWatch.ts';
import { openConsoleOutput } from '../console/consoleOutput.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import type { GuestAddress } from './guestAddress.ts';

export interface MachineRun {
  /** QEMU and its arguments, with the console on standard output, and the control socket as file descriptor 3. */
  readonly command: readonly string[];
  readonly env: Io['env'];
  readonly onOutput: (bytes: Uint8Array) => void;
  readonly observe: (state: MachineEvent['state'], problem?: string) => void;
}

/** Starts QEMU. If it cannot start, the machine has failed. */
export async function runMachine({ command, env, observe, onOutput }: MachineRun) {
  // If this program is killed, it cannot stop QEMU. `setpriv` of util-linux makes the kernel kill QEMU then, and replaces itself
  // with QEMU.
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv', env) : undefined;
  const killedWithParent = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL', '--'];
  const [program = '', ...args] = [...killedWithParent, ...command];
  const child = spawn(program, args, { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.stdout?.on('data', onOutput);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    stderr = (stderr + part).slice(0, MAX_STDERR);
  });
  const mask = createMasker(secretsInUrls(args)); // QEMU quotes the URL of an image
  let problem: string | undefined;
  const onStop = (): void => {
    problem = 'QEMU stopped the machine; if virtualization does not work here, use --accel tcg';
    kill();
  };
  watchEvents(child, { onReset: () => observe('rebooted'), onStop });
  observe('started');
  let isStopped = false;
  const ended = new Promise<void>((end) => {
    child.once('error', (error) => {
      problem = `cannot start QEMU: ${error.message}`;
    });
    child.once('close', (code, signal) => {
      process.off('exit', kill);
      if (!isStopped && code === 0) observe('powered off');
      if (!isStopped && code !== 0) observe('failed', problem ?? describeEnd(mask(stderr), code, signal));
      end();
    });
  });
  return {
    /** Resolves when QEMU has ended for any reason, or `stop` was called. Never rejects. */
    ended,
    stop: async (): Promise<void> => {
      isStopped = true;
      kill();
      for (const stream of child.stdio) stream?.destroy(); // other processes may have these streams open
      await ended;
    },
  };
}

/** Maximum number of characters of QEMU's standard error. */
const MAX_STDERR = 4000;

/**
 * Reads the events of QEMU (QMP), which it sends after the first command. QEMU stops the machine after an internal error of KVM,
 * which is usual in virtual machines without nested virtualization.
 */
function watchEvents(
  child: ChildProcess,
  { onReset, onStop }: Readonly<Record<'onReset' | 'onStop', () => void>>,
): void {
  const control = child.stdio[3];
  if (!isDuplex(control)) return;
  const lines = createInterface({ input: control });
  lines.on('error', () => undefined); // QEMU has ended, which `ended` reports
  let isShutDown = false;
  lines.on('line', (line) => {
    const { event, data } = asMapping(parseIfJson(line));
    isShutDown ||= event === 'SHUTDOWN';
    if (event === 'STOP' && !isShutDown) onStop();
    // QEMU itself also resets the machine, for example at its start.
    if (event === 'RESET' && asMapping(data)['guest'] === true) onReset();
  });
  control.write('{"execute":"qmp_capabilities"}\n');
}

function isDuplex(stream: unknown): stream is Duplex {
  return typeof stream === 'object' && stream !== null && 'write' in stream && 'setEncoding' in stream;
}

function describeEnd(stderr: string, code: number | null, signal: NodeJS.Signals | null): string {
  const first = stderr.split('\n').find((line) => line.trim() !== '') ?? '';
  const how = code === null ? `was killed by ${signal ?? 'a signal'}` : `exited with code ${code}`;
  // QEMU prints its options, and the URL of an image may contain a password.
  return first === '' ? `QEMU ${how}` : `QEMU ${how}: ${maskLogLine(first.trim())}`;
}

/** The boot medium of the machine. Starts the server of a folder. Throws CliError if there is no medium. */
async function findMedium(
  { cleanup, io, trial }: TrialPlan,
  { host, medium }: EmulatedSource,
  images: ImageService | undefined,
): Promise<Medium> {
  if (medium.kind === 'image') {
    const { source } = medium;
    return isRemote(source) ? { kind: 'cd-url', url: source } : { kind: 'cd', path: resolve(io.cwd, source) };
  }
  if (medium.kind === 'folder') {
    const { scriptUrl, stop } = await startFolderService(medium, createQuietLog(io), trial.observe);
    cleanup.defer(stop);
    return { kind: 'network', scriptUrl };
  }
  if (images === undefined) throw new UsageError(`no images for ${host.name}`);
  return medium.way === 'cd'
    ? { kind: 'cd-url', url: images.isoUrl(medium.name) }
    : { kind: 'network', scriptUrl: images.scriptUrl() };
}

export interface GuestContext {
  readonly api: IronicApi;
  readonly guest: GuestAddress;
  readonly images: ImageService | undefined;
  readonly endpoint: ApiEndpoint;
}

/** Throws CliError if there is no medium, or if the console file cannot be created. */
export async function startEmulated(
  plan: TrialPlan,
  { options, setup, source }: PlannedMachine,
  { api, guest, images, endpoint }: GuestContext,
) {
  const { cleanup, io, trial } = plan;
  const medium = await findMedium(plan, source, images);
  report(io, {
    severity: 'info',
    message: `the emulated machine ${source.mac} reaches this machine at ${guest.host}, and the mock Ironic at ${endpoint.scheme}://${guest.host}:${endpoint.port}`,
  });
  const { issues = [], reason } = guest.config ?? {};
  if (reason !== undefined)
    report(io, {
      severity: 'warning',
      message: `cannot check whether the agent calls the mock Ironic: ${reason}`,
      hint: 'run `ironic-coreos inspect` to see the agent and the Ironic URL of the image',
    });
  report(io, issues);
  const watch = createConsoleWatch(source.host.name, trial.observe);
  const onLine = (line: string): void => {
    io.stderr.write(`console| ${line}\n`);
    watch(line);
  };
  const console = await openConsoleOutput(options.console, onLine, io);
  cleanup.defer(() => console.close());
  const { architecture, mac } = source;
  const { program, ...ofMachine } = setup;
  const network = guestNetwork(guest.host);
  const machine = await runMachine({
    command: [program, ...machineArguments({ ...ofMachine, architecture, mac, network, medium })],
    env: io.env,
    onOutput: (bytes) => console.write(bytes),
    observe: (state, problem) => {
      if (state === 'started' || state === 'rebooted') api.resetMachine(mac);
      trial.observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem });
    },
  });
  cleanup.defer(() => machine.stop());
  return machine;
}
