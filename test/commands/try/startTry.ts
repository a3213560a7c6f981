/** `try`, in process, with what it has said so far. */

import { imageEnv } from '../../support/agentImage.ts';
import { Readable, Writable } from 'node:stream';
import { tryOptions } from '../../../src/commands/try/options.ts';
import { type Given, givenOptions } from '../../support/givenOptions.ts';
import { tryRamdisk } from '../../../src/commands/try/try.ts';
import type { Io } from '../../../src/io/io.ts';
import { until } from '../../support/serveFixtures.ts';

export type GivenTry = Given<typeof tryOptions>;

export interface Trial {
  /** Of the Ironic that is played. */
  readonly origin: string;
  readonly said: () => string;
  readonly ended: Promise<{ readonly code: number; readonly report: string }>;
  /** As the first Ctrl-C does. */
  readonly stop: () => Trial['ended'];
}

/** Resolves when the API listens. On a free port unless the options say otherwise. */
export async function startTry(
  options: GivenTry,
  cwd: string,
  env: Io['env'] = { PATH: process.env['PATH'] },
): Promise<Trial> {
  const stdout = collector();
  const stderr = collector();
  const end = new AbortController();
  const io: Io = {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ...imageEnv, ...env },
    cwd,
    programName: 'ironic-coreos',
    signal: end.signal,
  };
  const running = tryRamdisk(givenOptions(tryOptions, { listen: '127.0.0.1:0', ...options }), io);
  const ended = running.then((code) => ({ code, report: stdout.text() }));
  let isOver = false;
  const over = ended.finally(() => (isOver = true));
  over.catch(() => undefined);
  const findOrigin = (): string | undefined =>
    /listening on (https?:\/\/[^\s:]+:\d+)/.exec(stderr.text())?.[1];
  await until(() => isOver || findOrigin() !== undefined);
  const origin = findOrigin();
  if (origin === undefined) await ended;
  const stop = (): Trial['ended'] => {
    end.abort();
    return ended;
  };
  return { origin: origin ?? '', said: stderr.text, ended, stop };
}

function collector(): { stream: Writable; text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}
