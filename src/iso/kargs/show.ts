/** `iso kargs show`: prints the kernel arguments that a live ISO boots with. */

import { type KargsAreas, requireKargsAreas } from '../../image/kargsAreas.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso } from '../../io/images/rewriteImage.ts';
import { writeStdout } from '../../io/stdout.ts';
import { lineForOutput } from '../../io/report/terminalText.ts';
import { jsonBytes, parseTextOrJson } from '../../io/report/choices.ts';

export interface ShowKargsOptions {
  readonly iso: string;
  /** In text: the arguments that the image was released with. JSON has both. */
  readonly default?: boolean;
  /** `text` when it is left out, or `json`. */
  readonly format?: string | undefined;
}

/** What `--format json` prints. */
interface ShownKargs {
  readonly current: string;
  readonly default: string;
  /** Bytes that the image reserves. */
  readonly length: number;
  /** Bytes that may still be appended, the space before them included. */
  readonly free: number;
}

/** @throws CliError where the image has no place for kernel arguments */
export async function showKargs(options: ShowKargsOptions, io: Io): Promise<ExitCode> {
  const format = parseTextOrJson(options.format);
  const areas = await readLiveIso(options.iso, io, async (iso) => requireKargsAreas(await iso.kargsAreas()));
  const text = options.default === true ? areas.defaults : areas.current;
  await writeStdout(io, [format === 'json' ? jsonBytes(shownKargs(areas)) : lineForOutput(text, io)]);
  return 0;
}

function shownKargs({ current, defaults, length }: KargsAreas): ShownKargs {
  // One byte is for what ends the arguments.
  return { current, default: defaults, length, free: Math.max(0, length - 1 - Buffer.byteLength(current)) };
}
