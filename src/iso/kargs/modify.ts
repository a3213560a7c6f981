/** `iso kargs modify`: changes the kernel arguments that a live ISO boots with. */

import type { ImageChange } from '../../image/imageChange.ts';
import { requireKargsAreas } from '../../image/kargsAreas.ts';
import { editKargs, type KargsEdits } from '../../image/kargsEdit.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../../io/images/rewriteImage.ts';
import { report } from '../../io/report/report.ts';

export interface ModifyKargsOptions extends Rewrite, KargsEdits {}

/**
 * Edits that have no effect are warned about, and are no error.
 * @throws CliError in the user's terms; nothing has been written then
 */
export async function modifyKargs(options: ModifyKargsOptions, io: Io): Promise<ExitCode> {
  await rewriteLiveIso(options, (iso) => change(iso, options, io), io);
  return 0;
}

async function change(iso: LiveIso, edits: KargsEdits, io: Io): Promise<ImageChange> {
  const { current } = requireKargsAreas(await iso.kargsAreas());
  const { kargs, remarks } = editKargs(current, edits);
  for (const remark of remarks) report(io, { severity: 'warning', ...remark });
  return iso.change({ kargs });
}
