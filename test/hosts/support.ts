/** A run of hosts with streams of its own. */

import { imageEnv } from '../support/agentImage.ts';
import { Readable, Writable } from 'node:stream';
import { type HostCommand, type HostRun, startRun, type ListedHost } from '../../src/hosts/hostRun.ts';

interface TestRun {
  readonly run: HostRun;
  /** Everything that was told, and `<end>` where the progress was taken away. */
  readonly told: () => string;
}

export function testRun(command: Partial<HostCommand> = {}, cwd = '/'): TestRun {
  const chunks: string[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
    chunks.push(String(chunk));
    done();
  };
  const stream = new Writable({ write });
  const io = {
    stdin: Readable.from([]),
    stdout: stream,
    stderr: stream,
    env: imageEnv,
    cwd,
    programName: 'x',
  };
  const progress = { update: () => undefined, end: () => void chunks.push('<end>') };
  const run = { ...startRun({ io, done: 'written', ...command }, 3), progress };
  return { run, told: () => chunks.join('') };
}

export const hosts = (...names: readonly string[]): ListedHost[] =>
  names.map((name, index) => ({ name, at: { file: 'h.yaml', line: index + 1 }, problems: [] }));
