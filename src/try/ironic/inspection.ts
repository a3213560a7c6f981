/**
 * `POST /v1/continue_inspection`, and `/v1/continue` of the inspector, a service of its own before: the agent hands over
 * what it has found out about its machine. Ironic takes that only from nodes whose inspection it has begun itself; here
 * every machine may send it at any time.
 */

import { answerWith, type ApiAnswer, fault, inspectorFault } from './answers.ts';
import { collectorProblem, type Inventory, readInventory } from './inventory.ts';
import { lookupDocument, notFound } from './lookup.ts';
import { type Found, type IronicNode, type NodeStore, noteStart } from './nodes.ts';
import { type ApiVersion, type RefusalReason, versionReason } from './refusalReason.ts';
import { isObject, type JsonObject, parseBody, unexpectedArguments } from './requestArguments.ts';
import { isUuid } from '../../core/objectName.ts';
import type { InspectionService } from './routes.ts';

export interface InspectionRequest {
  readonly service: InspectionService;
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
  readonly version: ApiVersion;
  /** Of the service, for links. */
  readonly url: string;
  readonly now: Date;
}

export interface Inspection {
  readonly answer: ApiAnswer;
  readonly macs: readonly string[];
  /** UUID; undefined where the request was refused. */
  readonly node: string | undefined;
  readonly summary: string | undefined;
  /** What the agent could not find out, or why the request was refused. */
  readonly problem: string | undefined;
  /** Why it was refused. */
  readonly reason: RefusalReason | undefined;
  /** Where it was taken. */
  readonly collected: CollectedInventory | undefined;
}

/** What is worth keeping. */
export interface CollectedInventory {
  /** UUID of the node. */
  readonly node: string;
  /** Of the host in the inventory; undefined for strangers. */
  readonly name: string | undefined;
  readonly macs: readonly string[];
  /** JSON as the agent sent it: `inventory`, and what its collectors added. */
  readonly body: Uint8Array;
}

/** From this version on the answer is that of a lookup; agents name none so far. */
const lookupSince = 84;
/** Taken as well, so that agents need not know whether it is the inspector or Ironic. */
const leastMinor = 1;

export function answerInspection(request: InspectionRequest, nodes: NodeStore): Inspection {
  const refusal = refusalOf(request);
  if (refusal !== undefined) return refuse(request, refusal);
  const parsed = parseBody(request.body);
  // Ironic does not expect that.
  if (parsed.kind === 'none') {
    return refuse(request, { status: 500, problem: parsed.problem, reason: 'not-json' });
  }
  if (!isObject(parsed.value)) {
    const problem = "Schema error for data: it is not of type 'object'";
    return refuse(request, { status: 400, problem, reason: 'arguments' });
  }
  const check = readInventory(parsed.value);
  if (check.kind === 'none') return refuse(request, { status: 400, ...check });
  const { inventory } = check;
  // Ironic would also look for the address of the BMC.
  if (inventory.macs.length === 0 && !request.query.has('node_uuid')) {
    const problem = 'No lookup information provided';
    return refuse(request, { status: 400, problem, reason: 'no-macs' }, inventory);
  }
  const found = findNode(request, inventory, nodes);
  if (found.kind === 'unknown') {
    const { problem, reason } = found;
    return refuse(request, { status: 404, problem, reason, told: notFound }, inventory);
  }
  return accept(request, { node: found.node, inventory, body: parsed.value });
}

interface Refusal {
  readonly status: number;
  readonly problem: string;
  readonly reason: RefusalReason;
  /** Where the agent is told something else. */
  readonly told?: string;
}

/** What is wrong with a request, whatever its body is. */
function refusalOf({ service, query, version }: InspectionRequest): Refusal | undefined {
  if (service === 'inspector') return undefined;
  const uuid = query.get('node_uuid');
  const unexpected = unexpectedArguments(query.keys(), ['node_uuid']);
  if (unexpected !== undefined) return { status: 400, problem: unexpected, reason: 'arguments' };
  if (uuid !== null && !isUuid(uuid)) {
    const problem = `Expected UUID for node_uuid: ${uuid.slice(0, 40)}`;
    return { status: 400, problem, reason: 'arguments' };
  }
  const { minor } = version;
  if (minor >= lookupSince || (minor === leastMinor && uuid === null)) return undefined;
  const problem = `API version 1.${lookupSince} or newer is required`;
  return { status: 404, problem, reason: versionReason(version) };
}

function refuse(
  { service }: InspectionRequest,
  { status, problem, reason, told = problem }: Refusal,
  inventory?: Inventory,
): Inspection {
  return {
    answer: service === 'inspector' ? inspectorFault(status, told) : fault(status, told),
    macs: inventory?.macs ?? [],
    node: undefined,
    summary: inventory?.summary,
    problem,
    reason,
    collected: undefined,
  };
}

function findNode({ query }: InspectionRequest, { macs }: Inventory, nodes: NodeStore): Found {
  const uuid = query.get('node_uuid');
  if (uuid !== null) {
    const node = nodes.byUuid(uuid);
    if (node === undefined) {
      return { kind: 'unknown', problem: `there is no node ${uuid}`, reason: 'unknown-node' };
    }
    return { kind: 'node', node };
  }
  return nodes.byMacs(macs);
}

interface Accepted {
  readonly node: IronicNode;
  readonly inventory: Inventory;
  readonly body: JsonObject;
}

function accept(request: InspectionRequest, { node, inventory, body }: Accepted): Inspection {
  noteStart(node, request.now);
  const { macs, summary } = inventory;
  return {
    answer: acceptance(node, request),
    macs,
    node: node.uuid,
    summary,
    problem: collectorProblem(body),
    reason: undefined,
    collected: { node: node.uuid, name: node.name, macs, body: request.body },
  };
}

function acceptance(
  node: IronicNode,
  { service, version, url }: Pick<InspectionRequest, 'service' | 'version' | 'url'>,
): ApiAnswer {
  if (service === 'inspector') return answerWith(200, { uuid: node.uuid });
  return answerWith(
    202,
    version.minor >= lookupSince ? lookupDocument(node, node.token.tell(), url) : { uuid: node.uuid },
  );
}
