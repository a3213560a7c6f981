/** The options by which hosts come from an inventory, which several `deploy` commands share. */

import { UsageError } from '../core/errors.ts';

/** Under the names that they have on the command line. */
export interface InventoryFlags {
  /** A file with the hosts. */
  readonly inventory?: string;
  /** Names of the hosts that are wanted; all, where it is left out. */
  readonly host?: readonly string[];
  /** Ends at the first host that is wrong. */
  readonly failFast?: boolean;
}

/** @throws UsageError where hosts are chosen, but no inventory that they could be in */
export function refuseWithoutInventory({ inventory, host, failFast = false }: InventoryFlags): void {
  if (inventory !== undefined || (host === undefined && !failFast)) return;
  const flag = host === undefined ? '--fail-fast' : '--host';
  throw new UsageError(`${flag} is for the hosts of an inventory`, { hint: 'give --inventory FILE' });
}
