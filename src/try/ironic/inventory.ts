/** What an agent has found out about its machine (`inventory` of ironic-python-agent), as far as a person wants to see it. */

import { formatCount } from '../../formats/wordList.ts';
import { formatSizeInWords } from '../../formats/byteSize.ts';
import { normalizeMacs } from './macs.ts';
import type { RefusalReason } from './refusalReason.ts';
import { isObject, type JsonObject } from './requestArguments.ts';

export interface Inventory {
  readonly macs: readonly string[];
  /** One line. Texts of the machine are in it as they are. */
  readonly summary: string;
}

export type InventoryCheck =
  | { readonly kind: 'inventory'; readonly inventory: Inventory }
  /** In Ironic's words. */
  | { readonly kind: 'none'; readonly problem: string; readonly reason: RefusalReason };

/** Checks what Ironic checks: the schema in its `ramdisk.py`, whose order and words those are. */
export function readInventory(body: JsonObject): InventoryCheck {
  const inventory = body['inventory'];
  if (inventory === undefined) return none("'inventory' is a required property");
  if (!isObject(inventory)) return none("its inventory is not of type 'object'");
  for (const name of ['bmc_address', 'bmc_v6address']) {
    const address = inventory[name];
    if (address !== undefined && address !== null && typeof address !== 'string')
      return none(`its ${name} is not of type 'string', 'null'`);
  }
  const interfaces = inventory['interfaces'];
  if (interfaces === undefined) return none("'interfaces' is a required property");
  if (!Array.isArray(interfaces)) return none("its interfaces are not of type 'array'");
  if (interfaces.length === 0) return none('[] should be non-empty', 'no-macs');
  const macs: string[] = [];
  for (const item of interfaces as readonly unknown[]) {
    if (!isObject(item)) return none("an interface is not of type 'object'");
    const mac = item['mac_address'];
    if (mac === undefined) return none("'mac_address' is a required property");
    if (typeof mac !== 'string') return none("a mac_address is not of type 'string'");
    macs.push(mac);
  }
  return { kind: 'inventory', inventory: { macs: normalizeMacs(macs), summary: summaryOf(inventory) } };
}

function none(problem: string, reason: RefusalReason = 'arguments'): InventoryCheck {
  return { kind: 'none', problem: `Schema error for data: ${problem}`, reason };
}

/** `Dell Inc. PowerEdge R640, 32 CPUs (x86_64), 128 GiB memory, 2 disks (447.1 GiB, 3.5 TiB), 1 of 4 interfaces with a link` */
function summaryOf(inventory: JsonObject): string {
  const parts = [vendor, processors, memory, disks, interfacesWithLink].map((part) => part(inventory));
  return parts.filter((part) => part !== undefined).join(', ');
}

type Part = (inventory: JsonObject) => string | undefined;

const vendor: Part = ({ system_vendor: found }) => {
  const names = isObject(found) ? [text(found['manufacturer']), text(found['product_name'])] : [];
  return names.filter((name) => name !== undefined).join(' ') || undefined;
};

const processors: Part = ({ cpu }) => {
  const count = isObject(cpu) ? number(cpu['count']) : undefined;
  if (!isObject(cpu) || count === undefined) return undefined;
  const architecture = text(cpu['architecture']);
  return `${formatCount(count, 'CPU')}${architecture === undefined ? '' : ` (${architecture})`}`;
};

const memory: Part = ({ memory: found }) => {
  if (!isObject(found)) return undefined;
  // Without what firmware keeps for itself, which is unknown where its tables cannot be read.
  const mebibytes = number(found['physical_mb']);
  const bytes = mebibytes === undefined ? number(found['total']) : mebibytes * 1024 ** 2;
  return bytes === undefined ? undefined : `${formatSizeInWords(bytes)} memory`;
};

/** As many sizes as a line has room for. */
const MAX_SIZES = 4;

const disks: Part = ({ disks: found }) => {
  if (!Array.isArray(found)) return undefined;
  if (found.length === 0) return 'no disks';
  const items: readonly unknown[] = found.slice(0, MAX_SIZES);
  const sizes = items.map((disk) => (isObject(disk) ? number(disk['size']) : undefined));
  const known = sizes.filter((size) => size !== undefined).map(formatSizeInWords);
  if (found.length > MAX_SIZES) known.push('…');
  return `${formatCount(found.length, 'disk')}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
};

const interfacesWithLink: Part = ({ interfaces: found }) => {
  if (!Array.isArray(found)) return undefined;
  const items: readonly unknown[] = found;
  const linked = items.filter((item) => isObject(item) && item['has_carrier'] === true).length;
  return `${linked} of ${formatCount(found.length, 'interface')} with a link`;
};

/** Characters of a name. */
const MAX_TEXT = 60;

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_TEXT) : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** What the agent's collectors have failed at, in its own words; undefined where they have not. */
export function collectorProblem(body: JsonObject): string | undefined {
  const { error } = body;
  if (typeof error !== 'string' || error === '') return undefined;
  return error.slice(0, MAX_PROBLEM);
}

/** Characters. */
const MAX_PROBLEM = 500;
