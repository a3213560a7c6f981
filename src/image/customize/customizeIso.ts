/** A customisation of a live ISO. It takes the place of everything that was embedded, not only of an earlier one. */

import { CliError } from '../../core/errors.ts';
import { CONFIG_NAME, type Existing } from '../embeddedIgnition.ts';
import type { EmbedFiles } from '../embedArea.ts';
import type { ImageChange } from '../imageChange.ts';
import { editKargs, type KargsEdits, type KargsRemark } from '../kargsEdit.ts';
import type { LiveIso } from '../liveIso.ts';
import { isNetworkPath } from '../networkSettings.ts';

export interface CustomizedIso {
  readonly change: ImageChange;
  readonly remarks: readonly KargsRemark[];
}

/** @throws CliError where an Ignition config, network settings or other kernel arguments are embedded */
export async function checkPristine(iso: LiveIso, existing: Existing): Promise<void> {
  if (existing === 'replace') return;
  const areas = await iso.kargsAreas();
  const hasKargs = areas !== undefined && areas.current !== areas.defaults.trim();
  if (!hasKargs && !isCustomized(await iso.embeddedFiles())) return;
  throw new CliError('This ISO image is already customized; use -f to force.');
}

/** Whether an archive has an Ignition config or network settings. */
export function isCustomized(files: EmbedFiles): boolean {
  return [...files.keys()].some((path) => path === CONFIG_NAME || isNetworkPath(path));
}

/**
 * Kernel arguments are made from the image's defaults; without edits they stay.
 * @throws CliError where something does not fit, or the image reserves no place for kernel arguments
 */
export async function customizeIso(
  iso: LiveIso,
  files: EmbedFiles,
  edits: KargsEdits,
): Promise<CustomizedIso> {
  const hasEdits = [edits.append, edits.delete, edits.replace].some((list = []) => list.length > 0);
  if (!hasEdits) return { change: await iso.change({ files }), remarks: [] };
  const areas = await iso.kargsAreas();
  if (areas === undefined) {
    throw new CliError('This OS image does not support customizing live kernel arguments.', {
      hint: 'images before 2020-10 reserve no place for them: use a newer one',
    });
  }
  const { kargs, remarks } = editKargs(areas.defaults, edits);
  return { change: await iso.change({ files, kargs }), remarks };
}
