/** `iso kargs`: changes, resets or prints the kernel arguments of a live ISO. */

import { editLiveIso } from '../../hosts/input/imageContents.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import { requireKargsAreas } from '../../image/kargsAreas.ts';
import { editKargs, remarkGrub } from '../../image/kargsEdit.ts';
import { type LiveIso, restoreDefaultKargs } from '../../image/liveIso.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso, type Rewrite } from '../../imagefile/rewriteImage.ts';
import { report } from '../../io/report/report.ts';
import { lineForOutput, writeStdout } from '../../io/stdout.ts';
import { jsonBytes } from '../../io/report/choices.ts';
import type { ModifyKargsOptions, ShowKargsOptions } from './options.ts';

/** An edit without effect is a warning, not an error. */
export async function modifyKargs(options: ModifyKargsOptions, io: Io): Promise<ExitCode> {
  const edit = async (iso: LiveIso): Promise<ImageChange> => {
    const areas = requireKargsAreas(await iso.kargsAreas());
    const { kargs, remarks } = editKargs(areas.current, options);
    report(io, remarks, remarkGrub(areas, kargs));
    return iso.change({ kargs });
  };
  return editLiveIso(options, edit, io);
}

/** Embedded files are kept. */
export async function resetKernelArguments(options: Rewrite, io: Io): Promise<ExitCode> {
  return editLiveIso(options, restoreDefaultKargs, io);
}

/** As JSON, `length` is the size of the reserved area in bytes, `free` the number of unused bytes. */
export async function showKargs(options: ShowKargsOptions, io: Io): Promise<ExitCode> {
  const areas = await readLiveIso(options.iso, io, async (iso) => requireKargsAreas(await iso.kargsAreas()));
  const { current, defaults, length } = areas;
  const free = Math.max(0, length - 1 - Buffer.byteLength(current)); // a line feed terminates the arguments
  const text = options.default === true ? defaults : current;
  await writeStdout(io, [
    options.format === 'json'
      ? jsonBytes({ current, default: defaults, length, free })
      : lineForOutput(text, io),
  ]);
  return 0;
}
