/** The folder of `--save`, with the hardware inventories that agents send. */

import { join, resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { createConcurrencyLimit } from '../../core/parallel.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { makeFolder, writeFileAtomically } from '../../io/files/newFile.ts';
import type { Io } from '../../io/io.ts';
import type { CollectedInventory } from '../ironic/inspection.ts';

/** Only for the user: an inventory contains addresses, serial numbers, and the address of the BMC. */
const MODE = 0o600;

/**
 * Creates a folder for inventories. The file name is the name of the host, or the UUID of the node for unknown machines. A later
 * inventory of the same machine replaces the earlier one.
 * @returns saves an inventory, and rejects with a CliError if it cannot be written
 * @throws CliError if the folder cannot be created
 */
export async function openInventoryFolder(
  folder: string,
  { cwd }: Io,
): Promise<(inventory: CollectedInventory) => Promise<void>> {
  const root = resolve(cwd, folder);
  await makeFolder(root, folder, 0o700);
  // One at a time: a waiting inventory is only bytes, but writing one takes several times its memory.
  const inTurn = createConcurrencyLimit(1);
  return async ({ body, name, node }) =>
    inTurn(async () => {
      const file = `${fileNameOf(name ?? node)}.json`;
      const value: unknown = JSON.parse(new TextDecoder().decode(body));
      const text = `${JSON.stringify(value, undefined, 2)}\n`;
      await writeFileAtomically(join(root, file), text, { mode: MODE, shownPath: join(folder, file) });
    });
}

/** A safe file name for a host name, MAC address or UUID. */
function fileNameOf(name: string): string {
  const stem = name.replaceAll(':', '-');
  if (machineNameProblem(stem) === undefined) return stem;
  throw new CliError('the name of the machine is not valid as a file name', { code: 'ERR_HOST' });
}
