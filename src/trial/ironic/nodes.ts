/**
 * The nodes of the mock Ironic: expected hosts, and all other machines that call, as with Ironic's discovery. The number of
 * unknown machines is limited. Each node has an agent token, with which Ironic and the agent authenticate
 * each other. The first lookup creates and returns it. Later lookups return only a mask, so a restarted agent cannot continue.
 * This protects Ironic from clients that use a MAC address of another machine.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { createTokenCheck } from '../../http/server/accessCheck.ts';
import { plainText } from '../../http/server/textResponse.ts';
import { MAX_UNKNOWN_MACHINES } from '../timeline/machines.ts';
import type { RamdiskRequest, Refusal } from './messages.ts';

/** An expected host. Each other machine that calls also gets a node. */
export interface ExpectedNode {
  /** Name in the inventory: `worker-0`. */
  readonly name: string;
  readonly macs: readonly string[];
  /** UUID of the node, if the config contains it; otherwise a new one. */
  readonly uuid?: string | undefined;
  /** Token in its boot parameters (`agent_token`). */
  readonly agentToken?: string | undefined;
}

export interface NodeIdentity {
  readonly uuid: string;
  /** Name in the inventory; undefined for unknown machines. */
  readonly name: string | undefined;
  /** In lower case. */
  readonly macs: Set<string>;
}

/** Mutable: requests of the machine change it. */
export interface IronicNode extends NodeIdentity {
  readonly token: AgentToken;
  /** Callback URL of its heartbeats since the boot. */
  callbackUrl: string | undefined;
  /** Time of its last request. */
  calledAt: Date | undefined;
}

export interface NodeStore {
  byUuid(uuid: string): IronicNode | undefined;
  byName(name: string): IronicNode | undefined;
  findByMac(mac: string): IronicNode | undefined;
  /** Returns the node with one of the addresses, or a new node, and assigns the addresses to it. */
  byMacs(macs: readonly string[]): IronicNode | Refusal;
  readonly size: number;
}

const defaultLimits = { unknownMachines: MAX_UNKNOWN_MACHINES, macsPerNode: 64 };

export function createNodeStore(expected: readonly ExpectedNode[], limits = defaultLimits): NodeStore {
  const byUuid = new Map<string, IronicNode>();
  const byName = new Map<string, IronicNode>();
  const byMac = new Map<string, IronicNode>();

  const assign = (node: IronicNode, macs: Iterable<string>): void => {
    for (const mac of macs) {
      if (node.macs.size >= limits.macsPerNode) return;
      if (byMac.has(mac)) continue;
      byMac.set(mac, node);
      node.macs.add(mac);
    }
  };
  const add = ({ name, uuid = randomUUID(), agentToken }: Partial<ExpectedNode>): IronicNode => {
    const node: IronicNode = {
      uuid: uuid.toLowerCase(),
      name,
      macs: new Set(),
      token: createAgentToken(agentToken),
      callbackUrl: undefined,
      calledAt: undefined,
    };
    byUuid.set(node.uuid, node);
    if (name !== undefined) byName.set(name, node);
    return node;
  };
  const findOrAdd = (macs: readonly string[]): IronicNode | Refusal => {
    const found = new Set(macs.flatMap((mac) => byMac.get(mac) ?? []));
    const known = [...found].filter(({ name }) => name !== undefined);
    if (known.length > 1) {
      const names = known.map(({ name }) => name).join(', ');
      return { problem: `its MAC addresses belong to several hosts: ${names}`, reason: 'several-nodes' };
    }
    // If several unknown machines turn out to be the same one, the first node is used.
    const node = known[0] ?? [...found][0];
    if (node !== undefined) return node;
    if (byUuid.size - byName.size < limits.unknownMachines) return add({});
    return { problem: `more than ${limits.unknownMachines} unknown machines`, reason: 'busy' };
  };

  for (const host of expected) assign(add(host), normalizeMacs(host.macs));
  return {
    byUuid: (uuid) => byUuid.get(uuid.toLowerCase()),
    byName: (name) => byName.get(name),
    findByMac: (mac) => byMac.get(mac),
    byMacs: (macs) => {
      const found = findOrAdd(macs);
      if (!('problem' in found)) assign(found, macs);
      return found;
    },
    get size() {
      return byUuid.size;
    },
  };
}

/** The node of a request, by its UUID or by MAC addresses. */
export function findNode(
  nodes: NodeStore,
  { query }: RamdiskRequest,
  macs: readonly string[],
): IronicNode | Refusal {
  const uuid = query.get('node_uuid');
  if (uuid === null) return nodes.byMacs(macs);
  return nodes.byUuid(uuid) ?? { problem: `node ${uuid} does not exist`, reason: 'unknown-node' };
}

/**
 * Milliseconds without a request after which another lookup means that the machine has rebooted. An agent that systemd
 * restarted sends its lookup sooner, because agents send a heartbeat every half minute.
 */
const MIN_BOOT_TIME = 120_000;

/** Records a request of a starting agent. After a reboot, resets the node, as Ironic does when it power-cycles a machine. */
export function recordStart(node: IronicNode, now: Date): void {
  const silence = node.calledAt === undefined ? 0 : now.getTime() - node.calledAt.getTime();
  if (silence > MIN_BOOT_TIME) resetAgent(node);
  node.calledAt = now;
}

/** Resets the node, as Ironic does when it powers the machine on or off. */
export function resetAgent(node: IronicNode): void {
  node.token.reset();
  node.callbackUrl = undefined;
}

/** Replaces a token that an earlier lookup returned. Agents recognize it. */
export const MASKED_TOKEN = '******';

/** Bytes; agents require a token of at least 32 characters. */
const TOKEN_SIZE = 32;

type TokenState = 'valid' | 'invalid' | 'missing';

interface AgentToken {
  /** Returns the token once, then the mask. */
  issue(): string;
  check(text: string | undefined): TokenState;
  /** Whether the boot medium contains the token; then `issue` never returns it. */
  readonly isFromBootMedium: boolean;
  /** The token, for requests to the agent; undefined before the first lookup. */
  current(): string | undefined;
  /** The next lookup gets another token, as after Ironic powers the machine on. */
  reset(): void;
}

/** @param pregenerated token on the boot medium, which the API never returns */
function createAgentToken(pregenerated: string | undefined): AgentToken {
  let token = pregenerated;
  return {
    issue: () => {
      if (token !== undefined) return MASKED_TOKEN;
      token = randomBytes(TOKEN_SIZE).toString('base64url');
      return token;
    },
    check: (text) => {
      if (text === undefined || text === '') return 'missing';
      return token !== undefined && createTokenCheck([token])(text) ? 'valid' : 'invalid';
    },
    isFromBootMedium: pregenerated !== undefined,
    current: () => token,
    reset: () => {
      token = pregenerated;
    },
  };
}

/** Per request; no machine has as many interfaces. */
const MAX_MACS = 1024;

/**
 * Unique, in lower case, and without texts that Ironic does not accept, for example the longer addresses of InfiniBand and
 * addresses with dashes.
 */
export function normalizeMacs(texts: Iterable<string>): string[] {
  const macs = new Set<string>();
  for (const text of texts) {
    if (macs.size >= MAX_MACS) break;
    if (/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(text)) macs.add(plainText(text.toLowerCase(), text.length));
  }
  return [...macs];
}
