/** `--save`: what agents have collected, a file each, as they sent it. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { fileError } from '../../io/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { writeFileAtomically } from '../../io/outputFile.ts';
import type { CollectedInventory } from './ironicApi.ts';

/** Only for the user: an inventory tells addresses, serial numbers, and how a BMC is reached. */
const MODE = 0o600;

/**
 * Makes the folder, and gives what saves an inventory there: under the name of its host, or of a stranger under the UUID
 * of its node. A later one of the same machine takes the place of the earlier one.
 * @throws CliError where there can be no such folder
 */
export async function openInventoryFolder(
  folder: string,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<(inventory: CollectedInventory) => Promise<void>> {
  const root = resolve(cwd, folder);
  await mkdir(root, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder (--save)', action: 'create' });
  });
  return async ({ body, name, node }) => {
    const file = `${fileNameOf(name ?? node)}.json`;
    const text = `${JSON.stringify(body, undefined, 2)}\n`;
    await writeFileAtomically(join(root, file), text, { mode: MODE, shownPath: join(folder, file) });
  };
}

/** MAC addresses and UUIDs are fine, too, and lead out of no folder. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the inventory is of a machine whose name cannot be that of a file');
}
