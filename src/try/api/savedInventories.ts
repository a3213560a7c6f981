/** `--save`: what agents have collected, a file each, as they sent it. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { formatSize } from '../../formats/byteSize.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { writeFileAtomically } from '../../io/files/outputFile.ts';
import type { CollectedInventory } from './ironicApi.ts';

/** Bytes of all files of strangers, who may be anybody on the network. */
const MOST_OF_STRANGERS = 1024 ** 3;
/** Only for the user: an inventory tells addresses, serial numbers, and how a BMC is reached. */
const MODE = 0o600;

/**
 * Makes the folder, and gives what saves an inventory there: under the name of its host, or of a stranger under the UUID
 * of its node. A later one of the same machine takes the place of the earlier one.
 * @param mostOfStrangers bytes of all their files; nothing more of them is saved then
 * @throws CliError where there can be no such folder
 */
export async function openInventoryFolder(
  folder: string,
  { cwd }: Pick<Io, 'cwd'>,
  mostOfStrangers = MOST_OF_STRANGERS,
): Promise<(inventory: CollectedInventory) => Promise<void>> {
  const root = resolve(cwd, folder);
  await mkdir(root, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw fileError(error, { path: folder, what: 'Folder (--save)', action: 'create' });
  });
  const strangers = new Map<string, number>();
  const write = async ({ body, name, node }: CollectedInventory): Promise<void> => {
    const file = `${fileNameOf(name ?? node)}.json`;
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    if (name === undefined && !hasRoom(strangers, { node, size: text.length, most: mostOfStrangers })) {
      throw new CliError(`the inventories of unknown machines take more than ${formatSize(mostOfStrangers)}`);
    }
    await writeFileAtomically(join(root, file), text, { mode: MODE, shownPath: join(folder, file) });
  };
  // One after the other, as those that wait are bytes, and those that are written take several times as much.
  let last: Promise<unknown> = Promise.resolve();
  return async (inventory) => {
    const written = last.then(() => write(inventory));
    last = written.catch(() => undefined); // told by whoever has asked for it
    await written;
  };
}

interface Wish {
  readonly node: string;
  readonly size: number;
  readonly most: number;
}

function hasRoom(sizes: Map<string, number>, { node, size, most }: Wish): boolean {
  const others = [...sizes].reduce((sum, [uuid, known]) => (uuid === node ? sum : sum + known), 0);
  if (others + size > most) return false;
  sizes.set(node, size);
  return true;
}

/** MAC addresses and UUIDs are fine, too, and lead out of no folder. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the inventory is of a machine whose name cannot be that of a file');
}
