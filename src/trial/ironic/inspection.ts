/**
 * `POST /v1/continue_inspection`, and `/v1/continue` of the older service ironic-inspector: the agent sends the inventory of
 * its machine. Ironic accepts it only for nodes in inspection; the mock Ironic accepts it from each machine at any time.
 */

import { formatCount, formatSizeInWords } from '../../formats/messageText.ts';
import type { InspectionEvent } from '../timeline/events.ts';
import { asList, asMapping, isMapping, type Mapping } from '../../formats/mapping.ts';
import {
  answerWith,
  type ApiAnswer,
  fault,
  type InspectionService,
  inspectorFault,
  parseBody,
  type RamdiskRequest,
  type Refusal,
  type RefusalReason,
  type RefusedRequest,
  refuseRequest,
  NOT_FOUND,
  unexpectedArguments,
  uuidProblem,
  versionReason,
} from './messages.ts';
import { lookupDocument } from './lookup.ts';
import { findNode, type IronicNode, type NodeStore, normalizeMacs, recordStart } from './nodes.ts';

export interface CollectedInventory {
  readonly node: string;
  /** Name of the host in the inventory; undefined for unknown machines. */
  readonly name: string | undefined;
  /** JSON as the agent sent it: `inventory`, and the data of its collectors. */
  readonly body: Uint8Array;
}

/** Since this version, the response is that of a lookup. Current agents send no version. */
const LOOKUP_SINCE = 84;
/** Also accepted, so that agents can use the same request for ironic-inspector and Ironic. */
const MIN_MINOR = 1;

/** @param body why it could not be read, if it could not */
export function answerInspection(
  request: RamdiskRequest,
  service: InspectionService,
  body: Uint8Array | RefusedRequest,
  nodes: NodeStore,
): {
  readonly answer: ApiAnswer;
  readonly event: InspectionEvent;
  /** Undefined if the request was refused. */
  readonly collected?: CollectedInventory;
} {
  const { client, now: at, query } = request;
  const errorOf = service === 'inspector' ? inspectorFault : fault;
  const seen = { kind: 'inspection', at, client, service, differences: [], isIncomplete: false } as const;
  const nothing: Partial<Inventory> = {};
  const refuse = ({ answer, ...why }: RefusedRequest, { macs = [], summary } = nothing) => ({
    answer,
    event: { ...seen, macs, node: undefined, summary, ...why },
  });
  const refuseBody = (status: number, problem: string, reason: RefusalReason, inventory = nothing) =>
    refuse({ answer: errorOf(status, problem), problem, reason }, inventory);
  if (!(body instanceof Uint8Array)) return refuse(body);
  // The inspector has neither versions nor queries.
  const refusal = service === 'inspector' ? undefined : refusalOf(request);
  if (refusal !== undefined) return refuse(refusal);
  const parsed = parseBody(body);
  // Ironic fails with an internal error.
  if (parsed.kind === 'none') return refuseBody(500, parsed.problem, 'not-json');
  if (!isMapping(parsed.value)) {
    return refuseBody(400, "Schema error for data: it is not of type 'object'", 'arguments');
  }
  const inventory = checkInventory(parsed.value);
  if ('problem' in inventory) return refuseBody(400, inventory.problem, inventory.reason);
  const { macs, summary } = inventory;
  // Ironic also searches for the address of the BMC.
  if (macs.length === 0 && !query.has('node_uuid')) {
    return refuseBody(400, 'No lookup information provided', 'no-macs', inventory);
  }
  const node = findNode(nodes, request, macs);
  if ('problem' in node) return refuse({ answer: errorOf(404, NOT_FOUND), ...node }, inventory);
  recordStart(node, at);
  const problem = collectorProblem(parsed.value);
  const isIncomplete = problem !== undefined;
  return {
    answer: acceptance(node, request, service),
    event: { ...seen, macs, node: node.uuid, summary, problem, reason: undefined, isIncomplete },
    collected: { node: node.uuid, name: node.machine.name, body },
  };
}

/** Checks a request to Ironic without its body. */
function refusalOf({ query, version }: RamdiskRequest): RefusedRequest | undefined {
  const invalid = unexpectedArguments(query.keys(), ['node_uuid']) ?? uuidProblem(query);
  if (invalid !== undefined) return refuseRequest(400, invalid, 'arguments');
  const { minor } = version;
  if (minor >= LOOKUP_SINCE || (minor === MIN_MINOR && !query.has('node_uuid'))) return undefined;
  return refuseRequest(404, `API version 1.${LOOKUP_SINCE} or newer is required`, versionReason(version));
}

function acceptance(
  node: IronicNode,
  { version, url }: RamdiskRequest,
  service: InspectionService,
): ApiAnswer {
  if (service === 'inspector') return answerWith(200, { uuid: node.uuid });
  return answerWith(
    202,
    version.minor >= LOOKUP_SINCE ? lookupDocument(node, node.token.issue(), url) : { uuid: node.uuid },
  );
}

interface Inventory {
  readonly macs: readonly string[];
  /** One line, with unchanged texts of the machine. */
  readonly summary: string;
}

/** The same checks, order and messages as the schema in Ironic's `ramdisk.py`. */
export function checkInventory(body: Mapping): Inventory | Refusal {
  const inventory = body['inventory'];
  if (inventory === undefined) return none("'inventory' is a required property");
  if (!isMapping(inventory)) return none("its inventory is not of type 'object'");
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
    if (!isMapping(item)) return none("an interface is not of type 'object'");
    const mac = item['mac_address'];
    if (mac === undefined) return none("'mac_address' is a required property");
    if (typeof mac !== 'string') return none("a mac_address is not of type 'string'");
    macs.push(mac);
  }
  const parts = [vendor, processors, memory, disks, interfacesWithLink].map((part) => part(inventory));
  return {
    macs: normalizeMacs(macs),
    summary: parts.filter((part) => part !== undefined).join(', '),
  };
}

function none(problem: string, reason: RefusalReason = 'arguments'): Refusal {
  return { problem: `Schema error for data: ${problem}`, reason };
}

/** `Dell Inc. PowerEdge R640, 32 CPUs (x86_64), 128 GiB memory, 2 disks (447.1 GiB, 3.5 TiB), 1 of 4 interfaces with a link` */
type Part = (inventory: Mapping) => string | undefined;

const vendor: Part = ({ system_vendor: found }) => {
  const { manufacturer, product_name: product } = asMapping(found);
  return [text(manufacturer), text(product)].filter((name) => name !== undefined).join(' ') || undefined;
};

const processors: Part = ({ cpu }) => {
  const { architecture, count } = asMapping(cpu);
  const known = quantity(count);
  if (known === undefined) return undefined;
  const shown = text(architecture);
  return `${formatCount(known, 'CPU')}${shown === undefined ? '' : ` (${shown})`}`;
};

const memory: Part = ({ memory: found }) => {
  // `total` excludes memory of the firmware; `physical_mb` is missing if the agent cannot read the firmware tables.
  const { physical_mb: mebibytes, total } = asMapping(found);
  const bytes = quantity(typeof mebibytes === 'number' ? mebibytes * 1024 ** 2 : total);
  return bytes === undefined ? undefined : `${formatSizeInWords(bytes)} memory`;
};

/** Maximum number of disk sizes in a line. */
const MAX_SIZES = 4;

const disks: Part = ({ disks: found }) => {
  if (!Array.isArray(found)) return undefined;
  if (found.length === 0) return 'no disks';
  const sizes = found.slice(0, MAX_SIZES).flatMap((disk) => quantity(asMapping(disk)['size']) ?? []);
  const shown = [...sizes.map(formatSizeInWords), ...(found.length > MAX_SIZES ? ['…'] : [])];
  return `${formatCount(found.length, 'disk')}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`;
};

const interfacesWithLink: Part = ({ interfaces: found }) => {
  const items = asList(found);
  const linked = items.filter((item) => asMapping(item)['has_carrier'] === true).length;
  return `${linked} of ${formatCount(items.length, 'interface')} with a link`;
};

/** Characters of a name. */
const MAX_TEXT = 60;

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_TEXT) : undefined;
}

/** Undefined for what is no number, and for one that no machine has: negative, not whole, or larger than 2^53, such as 1e308. */
function quantity(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The error of the agent about failed collectors; undefined without an error. */
export function collectorProblem({ error }: Mapping): string | undefined {
  return typeof error === 'string' && error !== '' ? error : undefined;
}
