/** `iso kargs`: changes, resets or prints the kernel arguments of a live ISO. */

import { editLiveIso } from '../../hosts/input/imageContents.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import { type KargsAreas, requireKargsAreas } from '../../image/kargsAreas.ts';
import { editKargs, type KargsEdits, remarkGrub } from '../../image/kargsEdit.ts';
import { type LiveIso, restoreDefaultKargs } from '../../image/liveIso.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso, type Rewrite } from '../../imagefile/rewriteImage.ts';
import { report } from '../../io/report/report.ts';
import { lineForOutput, writeStdout } from '../../io/stdout.ts';
import { jsonBytes } from '../../io/report/choices.ts';
import type { ModifyKargsOptions, ShowKargsOptions } from './options.ts';

/**
 * An edit without effect is a warning, not an error.
 * @throws CliError for the user; nothing is written then
 */
export async function modifyKargs(options: ModifyKargsOptions, io: Io): Promise<ExitCode> {
  return editLiveIso(options, (iso) => change(iso, options, io), io);
}

async function change(iso: LiveIso, edits: KargsEdits, io: Io): Promise<ImageChange> {
  const areas = requireKargsAreas(await iso.kargsAreas());
  const { kargs, remarks } = editKargs(areas.current, edits);
  report(io, remarks, remarkGrub(areas, kargs));
  return iso.change({ kargs });
}

/**
 * Embedded files are kept.
 * @throws CliError for the user; nothing is written then
 */
export async function resetKernelArguments(options: Rewrite, io: Io): Promise<ExitCode> {
  return editLiveIso(options, restoreDefaultKargs, io);
}

/** @throws CliError if the image reserves no area for kernel arguments */
export async function showKargs(options: ShowKargsOptions, io: Io): Promise<ExitCode> {
  const areas = await readLiveIso(options.iso, io, async (iso) => requireKargsAreas(await iso.kargsAreas()));
  const text = options.default === true ? areas.defaults : areas.current;
  await writeStdout(io, [options.format === 'json' ? jsonBytes(shownKargs(areas)) : lineForOutput(text, io)]);
  return 0;
}

/** The JSON document: `length` is the size of the reserved area in bytes, `free` the number of unused bytes. */
function shownKargs({ current, defaults, length }: KargsAreas) {
  // A line feed terminates the arguments.
  return { current, default: defaults, length, free: Math.max(0, length - 1 - Buffer.byteLength(current)) };
}
