/**
 * One line on a terminal that says how far a long piece of work is; nothing anywhere else. Drawn by cli-progress, which
 * is loaded only then.
 */

import type { SingleBar } from 'cli-progress';
import type { Output } from './io.ts';

export interface Progress {
  /** `done` of all pieces are finished. */
  readonly update: (done: number) => void;
  /** Takes the line away, so that other text can be written; the next `update` brings it back. */
  readonly clear: () => void;
}

/** `what` begins the line: `hosts`. */
export function showProgress(stream: Output, what: string, total: number): Progress {
  if (stream.isTTY !== true) return { update: () => undefined, clear: () => undefined };
  let bar: SingleBar | undefined;
  void loadBar(stream, what).then((loaded) => (bar = loaded));
  let idle: NodeJS.Timeout | undefined;
  const clear = (): void => {
    clearTimeout(idle);
    idle = undefined;
    bar?.stop();
  };
  return {
    update: (done) => {
      if (bar === undefined) return;
      if (idle === undefined) bar.start(total, done);
      else bar.update(done);
      idle = idle?.refresh() ?? setTimeout(clear, longestIdle);
    },
    clear,
  };
}

/** Milliseconds after which the line goes away by itself: as long as it is there, the program does not end. */
const longestIdle = 30_000;

/** Undefined where it cannot be loaded: the work is not worth less for it. */
async function loadBar(stream: Output, what: string): Promise<SingleBar | undefined> {
  const library = await import('cli-progress').catch(() => undefined);
  if (library === undefined) return undefined;
  return new library.default.SingleBar({
    stream,
    format: `${what} {value}/{total} [{bar}] {eta_formatted}`,
    barCompleteChar: '#',
    barIncompleteChar: '.',
    barsize: 30,
    etaBuffer: 200,
    clearOnComplete: true,
    linewrap: true, // else it would have to be switched on again when the program is interrupted
  });
}
