// @ts-check
/** The command `controller` as it is built, as a process of its own, for tests and benchmarks. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = join(import.meta.dirname, '../../../bin/ironic-coreos.js');
/** Milliseconds until it leads. */
const WAIT = 90_000;

/** @type {typeof import('./controllerProcess.d.ts').startControllerProcess} */
export async function startControllerProcess(args, cwd) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [program, 'controller', '--log', 'json', ...args], {
    cwd,
    env: { PATH, HOME, IRONIC_AGENT_IMAGE: 'quay.io/metal3-io/ironic-agent' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => void child.on('close', resolve));
  const { pid = 0 } = child;
  const end = Date.now() + WAIT;
  while (!said.includes('"event":"leader"')) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`it does not lead: ${said}`);
    await sleep(50);
  }
  return {
    said: () => said,
    signal: (name) => void child.kill(name),
    ended,
    usage: () => usageOf(pid),
  };
}

/** @param {number} pid */
function usageOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const peak = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  return { peak, cpu: (Number(fields[11]) + Number(fields[12])) / 100 };
}
