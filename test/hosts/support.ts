/** A run of hosts with streams of its own. */

import { Writable } from 'node:stream';
import { type HostCommand, type HostRun, startRun, type ListedHost } from '../../src/hosts/hostRun.ts';
import { createIo } from '../support/createIo.ts';

interface TestRun {
  readonly run: HostRun;
  /** All output, with `<end>` where the line of the progress was removed. */
  readonly told: () => string;
}

export function testRun(command: Partial<HostCommand> = {}, cwd = '/'): TestRun {
  const chunks: string[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
    chunks.push(String(chunk));
    done();
  };
  const stream = new Writable({ write });
  const io = createIo({ stdout: stream, stderr: stream, cwd, programName: 'x' });
  const progress = { update: () => undefined, end: () => void chunks.push('<end>') };
  const run = { ...startRun({ io, done: 'written', ...command }, 3), progress };
  return { run, told: () => chunks.join('') };
}

export const hosts = (...names: readonly string[]): ListedHost[] =>
  names.map((name, index) => ({ name, at: { file: 'h.yaml', line: index + 1 }, problems: [] }));
