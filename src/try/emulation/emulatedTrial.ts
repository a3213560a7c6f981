/** The machine of `try --qemu`: started when all is there that it boots from, told as events, and never left behind. */

import { type EmulatedMachine, startMachine } from '../io/emulatedMachine.ts';
import type { Io } from '../../io/io.ts';
import type { MachineEvent } from '../timeline/events.ts';
import type { GuestNetwork } from '../timeline/guestNetwork.ts';
import {
  type Accelerator,
  machineArguments,
  type MachinePlan,
  type Medium,
} from '../timeline/machineArguments.ts';
import type { MachineSign } from '../timeline/machineControl.ts';
import type { ConsoleOutput } from './consoleOutput.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import type { MachineSetup } from './machineSetup.ts';
import { createSwitch } from '../switch.ts';

export interface MachineRun {
  readonly setup: MachineSetup;
  readonly source: EmulatedSource;
  readonly medium: Medium;
  readonly network: GuestNetwork;
  readonly console: ConsoleOutput;
  readonly observe: (event: MachineEvent) => void;
  /** Takes what is said about the machine besides its events. */
  readonly say: (message: string) => void;
  readonly env: Io['env'];
}

export interface TrialMachine {
  /** Resolves when it is gone, and nothing more can come of it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export function runTrialMachine(run: MachineRun): TrialMachine {
  let current: Promise<EmulatedMachine> | undefined;
  let isStopped = false;
  const begin = (accelerator: Accelerator): Promise<Attempt> => {
    const attempt = startAttempt(run, accelerator);
    current = attempt.then(({ machine }) => machine);
    return attempt;
  };
  const ended = (async () => {
    for (const [index, accelerator] of run.setup.accelerators.entries()) {
      const { failed } = await begin(accelerator);
      const problem = await failed;
      const hasNext = index + 1 < run.setup.accelerators.length;
      if (problem === undefined || isStopped || !hasNext) return tellEnd(run, problem, isStopped);
      run.say(`${accelerator} does not work here (${problem}): the machine starts anew, emulated as a whole`);
    }
  })();
  return {
    ended,
    stop: async () => {
      isStopped = true;
      await (await current)?.stop();
      await ended;
    },
  };
}

function tellEnd(
  { observe, source: { mac } }: MachineRun,
  problem: string | undefined,
  isStopped: boolean,
): void {
  if (isStopped) return;
  const state = problem === undefined ? 'powered off' : 'failed';
  observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem });
}

interface Attempt {
  readonly machine: EmulatedMachine;
  /** Why it failed; undefined where it came to its end. */
  readonly failed: Promise<string | undefined>;
}

async function startAttempt(run: MachineRun, accelerator: Accelerator): Promise<Attempt> {
  const { console, observe, setup, source } = run;
  const { firmware, memory, program } = setup;
  const { architecture, mac } = source;
  const { medium, network } = run;
  const plan: MachinePlan = { architecture, accelerator, firmware, memory, mac, network, medium };
  const tell = (state: MachineEvent['state']): void =>
    observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem: undefined });
  const stuck = createSwitch();
  const machine = await startMachine({
    program,
    args: machineArguments(plan),
    env: run.env,
    console: (bytes) => console.take(bytes),
    sign: (sign: MachineSign) => {
      if (sign === 'stuck') stuck.turnOn();
      else if (sign === 'rebooted') tell('rebooted');
    },
  });
  if (accelerator === setup.accelerators[0]) tell('started'); // what comes after it is the same machine
  const gone = machine.ended.then(({ problem }) => problem);
  const isStuck = stuck.isOn.then(() => 'QEMU has stopped the machine by itself');
  const failed = Promise.race([gone, isStuck]).then(async (problem) => {
    await machine.stop();
    return problem;
  });
  return { machine, failed };
}
