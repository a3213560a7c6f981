/**
 * `POST /v1/continue_inspection`, and `/v1/continue` of the older service ironic-inspector: the agent sends the inventory of
 * its machine. Ironic accepts it only for nodes in inspection; the mock Ironic accepts it from each machine at any time.
 */

import { formatCount, formatSizeInWords } from '../../formats/messageText.ts';
import { readHardware } from '../../ipa/machineHardware.ts';
import type { InspectionEvent } from '../timeline/events.ts';
import { asMapping, asMappings, isMapping, type Mapping, stringOf } from '../../formats/mapping.ts';
import {
  type ApiAnswer,
  parseBody,
  type RamdiskRequest,
  type RefusedRequest,
  refuseRequest,
} from './messages.ts';
import { type NodeStore, normalizeMacs, recordStart } from './nodes.ts';

export interface CollectedInventory {
  readonly node: string;
  /** Name of the host in the inventory; undefined for unknown machines. */
  readonly name: string | undefined;
  /** JSON as the agent sent it: `inventory`, and the data of its collectors. */
  readonly body: Uint8Array;
}

/** @param body why it could not be read, if it could not */
export function answerInspection(
  { client, now: at }: RamdiskRequest,
  body: Uint8Array | RefusedRequest,
  nodes: NodeStore,
): {
  readonly answer: ApiAnswer;
  readonly event: InspectionEvent;
  /** Undefined if the request was refused. */
  readonly collected?: CollectedInventory;
} {
  const seen = { kind: 'inspection', at, client, differences: [], isIncomplete: false } as const;
  const refuse = ({ answer, problem, reason }: RefusedRequest, found: Partial<Inventory> = {}) => {
    const { macs = [], summary } = found;
    return { answer, event: { ...seen, macs, node: undefined, summary, problem, reason } };
  };
  if (!(body instanceof Uint8Array)) return refuse(body);
  const sent = parseBody(body);
  const inventory = isMapping(sent) ? readAgentInventory(sent) : undefined;
  if (!isMapping(sent) || inventory === undefined)
    return refuse(refuseRequest(400, 'the body is not the inventory of an agent', 'inspection-refused'));
  const { macs, summary } = inventory;
  const node = nodes.byMacs(macs, client);
  if ('problem' in node) return refuse(node, inventory);
  recordStart(node, at);
  const problem = collectorProblem(sent);
  const isIncomplete = problem !== undefined;
  return {
    answer: { status: 202, body: { uuid: node.uuid } },
    event: { ...seen, macs, node: node.uuid, summary, problem, reason: undefined, isIncomplete },
    collected: { node: node.uuid, name: node.machine.name, body },
  };
}

interface Inventory {
  readonly macs: readonly string[];
  /** One line, with unchanged texts of the machine. */
  readonly summary: string;
}

/** Undefined for a body that is not the one of an agent. */
export function readAgentInventory(body: Mapping): Inventory | undefined {
  const [hardware] = readHardware({ inventory: body['inventory'] });
  if (!isMapping(body['inventory']) || hardware === undefined) return undefined;
  const { cpu, interfaces, system_vendor: vendor } = body['inventory'];
  const { manufacturer, product_name: product } = asMapping(vendor);
  const names = [manufacturer, product].flatMap((name) => stringOf(name)?.trim().slice(0, MAX_TEXT) || []);
  const { count } = asMapping(cpu);
  const { architecture, disks, memory } = hardware;
  const ofCpu = architecture === undefined ? '' : ` (${architecture})`;
  const ports = asMappings(interfaces);
  const linked = ports.filter(({ has_carrier: hasCarrier }) => hasCarrier === true).length;
  const parts = [
    ...(names.length === 0 ? [] : [names.join(' ')]),
    ...(isQuantity(count) ? [`${formatCount(count, 'CPU')}${ofCpu}`] : []),
    ...(isQuantity(memory) ? [`${formatSizeInWords(memory)} memory`] : []),
    describeDisks(disks.map(({ size }) => size)),
    `${linked} of ${formatCount(ports.length, 'interface')} with a link`,
  ];
  const macs = normalizeMacs(ports.flatMap(({ mac_address: mac }) => stringOf(mac) ?? []));
  return { macs, summary: parts.join(', ') };
}

/** Characters of a name. */
const MAX_TEXT = 60;
/** Maximum number of disk sizes in a line. */
const MAX_SIZES = 4;

/** `2 disks (447.1 GiB, 3.5 TiB)` */
function describeDisks(sizes: readonly number[]): string {
  if (sizes.length === 0) return 'no disks';
  const shown = sizes.slice(0, MAX_SIZES).filter(isQuantity).map(formatSizeInWords);
  const list = [...shown, ...(sizes.length > MAX_SIZES ? ['…'] : [])];
  return `${formatCount(sizes.length, 'disk')}${list.length === 0 ? '' : ` (${list.join(', ')})`}`;
}

/** False for a number that no machine has: negative, not whole, or larger than 2^53, such as 1e308. */
function isQuantity(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The error of the agent about failed collectors; undefined without an error. */
export function collectorProblem({ error }: Mapping): string | undefined {
  return stringOf(error) || undefined;
}
