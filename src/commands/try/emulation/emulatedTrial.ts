/**
 * The machine of `try --qemu`, which has no disk: starts QEMU, reports the state of the machine as events, and stops it at the
 * end. It ends with this program: on Linux, the kernel kills it even if this program is killed.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { createMasker, secretsInUrls } from '../../../core/knownSecrets.ts';
import { maskLogLine } from '../../../core/masking.ts';
import { asMapping, parseIfJson } from '../../../formats/mapping.ts';
import { findProgram } from '../../../io/programs.ts';
import type { Io } from '../../../io/io.ts';
import { resolve } from 'node:path';
import { UsageError } from '../../../core/errors.ts';
import { isRemote } from '../../../http/client/httpUrl.ts';
import { type ApiEndpoint, guestNetwork } from '../timeline/addresses.ts';
import type { MachineEvent } from '../timeline/events.ts';
import { type Accelerator, machineArguments, type MachinePlan, type Medium } from './qemu.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import { createQuietLog } from '../quietLog.ts';
import type { ImageService } from '../serving/imageService.ts';
import { startFolderService } from '../serving/preparedFolderService.ts';
import { createDeferred } from '../../../core/deferred.ts';
import type { PlannedMachine, TrialPlan } from '../trial.ts';
import { type ConsoleOutput, createConsoleWatch, openConsoleOutput } from '../consoleOutput.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import type { GuestAddress } from './guestAddress.ts';

export interface EmulatedMachine {
  /**
   * Resolves when QEMU has ended for any reason, to the problem; undefined after a normal end: the machine powered off, or
   * `stop` was called. Never rejects.
   */
  readonly ended: Promise<string | undefined>;
  /** Kills QEMU. */
  stop(): Promise<void>;
}

/**
 * Starts QEMU. `ended` contains the error if it cannot start.
 * @param command QEMU and its arguments, with the console on standard output, and the control socket as file descriptor 3
 * @param onOutput gets the output of the console
 */
export async function startMachine(
  command: readonly string[],
  env: Io['env'],
  onOutput: (bytes: Uint8Array) => void,
  onSignal: (signal: QemuSignal) => void,
): Promise<EmulatedMachine> {
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
  readControl(child, onSignal);
  let isStopped = false;
  const ended = new Promise<string | undefined>((end) => {
    let problem: string | undefined;
    child.once('error', (error) => {
      problem = `cannot start QEMU: ${error.message}`;
    });
    child.once('close', (code, signal) => {
      process.off('exit', kill);
      end(isStopped || code === 0 ? undefined : (problem ?? describeEnd(mask(stderr), code, signal)));
    });
  });
  return {
    ended,
    stop: async () => {
      isStopped = true;
      kill();
      for (const stream of child.stdio) stream?.destroy(); // other processes may have these streams open
      await ended;
    },
  };
}

/** Maximum number of characters of QEMU's standard error. */
const MAX_STDERR = 4000;

function readControl(child: ChildProcess, onSignal: (signal: QemuSignal) => void): void {
  const control = child.stdio[3];
  if (!isDuplex(control)) return;
  const read = createControlReader();
  control.on('error', () => undefined); // QEMU has ended, which `ended` reports
  control.setEncoding('utf8').on('data', (text: string) => {
    for (const signal of read(text)) onSignal(signal);
  });
  control.write(CONTROL_GREETING);
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

/** `stuck`: QEMU stopped the machine, for example because virtualization does not work. */
export type QemuSignal = 'rebooted' | 'stuck';

/** The first command: QEMU sends no events before it. */
const CONTROL_GREETING = '{"execute":"qmp_capabilities"}\n';

/** Maximum number of characters of a line; relevant events have a few hundred. */
const LONGEST_LINE = 64 * 1024;

/** Parses events from chunks of text. */
export function createControlReader(): (text: string) => QemuSignal[] {
  let rest = '';
  let isShutDown = false;
  const signalOf = (line: string): QemuSignal | undefined => {
    const { event, data } = asMapping(parseIfJson(line));
    isShutDown ||= event === 'SHUTDOWN';
    if (event === 'STOP') return isShutDown ? undefined : 'stuck';
    // QEMU itself also resets the machine, for example at its start.
    return event === 'RESET' && asMapping(data)['guest'] === true ? 'rebooted' : undefined;
  };
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
    return lines.flatMap((line) => signalOf(line) ?? []);
  };
}

export interface MachineRun {
  /** QEMU. */
  readonly program: string;
  /** In order of preference. */
  readonly accelerators: readonly Accelerator[];
  readonly plan: MachinePlan;
  readonly console: ConsoleOutput;
  readonly observe: (state: MachineEvent['state'], problem?: string) => void;
  /** Reports a message about the machine. */
  readonly report: (message: string) => void;
  readonly env: Io['env'];
}

export interface TrialMachine {
  /** Resolves when the machine has ended for the last time. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export function runTrialMachine(run: MachineRun): TrialMachine {
  const { accelerators, observe } = run;
  let current: Promise<Attempt> | undefined;
  let isStopped = false;
  const ended = (async () => {
    for (const [index, accelerator] of accelerators.entries()) {
      current = startAttempt(run, accelerator);
      const { failed, machine } = await current;
      const problem = await failed;
      await machine.stop();
      if (isStopped) return undefined;
      if (problem === undefined) return observe('powered off');
      if (index + 1 === accelerators.length) return observe('failed', problem);
      run.report(`${accelerator} does not work (${problem}); restarting the machine with software emulation`);
    }
  })();
  return {
    ended,
    stop: async () => {
      isStopped = true;
      await (await current)?.machine.stop();
      await ended;
    },
  };
}

interface Attempt {
  readonly machine: EmulatedMachine;
  /** Why it failed; undefined if the machine powered off. */
  readonly failed: Promise<string | undefined>;
}

async function startAttempt(run: MachineRun, accelerator: Accelerator): Promise<Attempt> {
  const { accelerators, console, observe, plan, program } = run;
  const stuck = createDeferred<string>();
  const machine = await startMachine(
    [program, ...machineArguments(plan, accelerator)],
    run.env,
    (bytes) => console.write(bytes),
    (signal) => {
      if (signal === 'stuck') stuck.resolve('QEMU stopped the machine');
      else observe('rebooted');
    },
  );
  if (accelerator === accelerators[0]) observe('started'); // a later attempt is the same machine
  return { machine, failed: Promise.race([machine.ended, stuck.promise]) };
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
  { setup, source }: PlannedMachine,
  { api, guest, images, endpoint }: GuestContext,
): Promise<TrialMachine> {
  const { cleanup, io, options, output, trial } = plan;
  const medium = await findMedium(plan, source, images);
  output.report({
    severity: 'info',
    message: `the emulated machine ${source.mac} reaches this machine at ${guest.host}, and the mock Ironic at ${endpoint.scheme}://${guest.host}:${endpoint.port}`,
  });
  if (guest.config?.kind === 'unknown')
    output.report({
      severity: 'warning',
      message: `cannot check whether the agent calls the mock Ironic: ${guest.config.reason}`,
      hint: 'run `ironic-coreos inspect` to see the agent and the Ironic URL of the image',
    });
  if (guest.config !== undefined && guest.config.kind !== 'no-config') {
    for (const issue of guest.config.issues ?? []) output.report(issue);
  }
  const watch = createConsoleWatch(source.host.name, trial.observe);
  const onLine = (line: string): void => {
    output.print(`console| ${line}`);
    watch(line);
  };
  const console = await openConsoleOutput(options.console, onLine, io);
  cleanup.defer(() => console.close());
  const { architecture, mac } = source;
  const { accelerators, firmware, memory, program } = setup;
  const machine = runTrialMachine({
    program,
    accelerators,
    plan: { architecture, firmware, memory, mac, network: guestNetwork(guest.host, '--guest-host'), medium },
    console,
    observe: (state, problem) => {
      if (state === 'started' || state === 'rebooted') api.resetMachine(mac);
      trial.observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem });
    },
    report: (message) => output.report({ severity: 'info', message }),
    env: io.env,
  });
  cleanup.defer(() => machine.stop());
  return machine;
}
