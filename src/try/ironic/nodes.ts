/**
 * The machines that Ironic would know: those that are expected, and each stranger that calls, as with Ironic's discovery.
 * They are bounded: strangers for whom there is no room are not found. Each node has a token by which Ironic and the agent
 * know each other: it is made at the first lookup and told only then. Whoever looks up later learns only that there is one,
 * and an agent that was started anew does not get on: that is Ironic's guard against strangers that ask with a MAC address
 * which they have seen.
 */

import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { RefusalReason } from './messages.ts';

/** A machine that is expected to call home; whoever else calls is a stranger, and gets a node of its own. */
export interface ExpectedNode {
  /** Of the inventory: `worker-0`. */
  readonly name: string;
  readonly macs: readonly string[];
  /** By which it is known in Ironic, if its config names it; else one is made. */
  readonly uuid?: string | undefined;
  /** The token that its boot parameters bring (`agent_token`), if they do. */
  readonly agentToken?: string | undefined;
}

/** Its values change as the machine calls. */
export interface IronicNode {
  readonly uuid: string;
  /** Of the inventory; undefined for strangers. */
  readonly name: string | undefined;
  /** In lower case. */
  readonly macs: Set<string>;
  readonly token: AgentToken;
  /** Of its heartbeats since it was booted. */
  callbackUrl: string | undefined;
  /** When it called last. */
  calledAt: Date | undefined;
}

export type Found =
  | { readonly kind: 'node'; readonly node: IronicNode }
  | {
      readonly kind: 'unknown';
      /** As a clause. */
      readonly problem: string;
      readonly reason: RefusalReason;
    };

export interface NodeStore {
  byUuid(uuid: string): IronicNode | undefined;
  byName(name: string): IronicNode | undefined;
  findByMac(mac: string): IronicNode | undefined;
  /** The one that has any of the addresses, or a new one for a stranger; they are its own from then on. */
  byMacs(macs: readonly string[]): Found;
  readonly size: number;
}

interface NodeLimits {
  readonly strangers: number;
  readonly macsPerNode: number;
}

/** Machines that nobody expects, and that are known by a MAC address. */
export const MAX_UNKNOWN_MACHINES = 1000;

const defaultLimits: NodeLimits = { strangers: MAX_UNKNOWN_MACHINES, macsPerNode: 64 };

export function createNodeStore(expected: readonly ExpectedNode[], limits = defaultLimits): NodeStore {
  const byUuid = new Map<string, IronicNode>();
  const byName = new Map<string, IronicNode>();
  const byMac = new Map<string, IronicNode>();
  let strangers = 0;

  const own = (node: IronicNode, macs: Iterable<string>): void => {
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
  const findOrAdd = (macs: readonly string[]): Found => {
    const found = new Set(macs.flatMap((mac) => byMac.get(mac) ?? []));
    const known = [...found].filter(({ name }) => name !== undefined);
    if (known.length > 1) {
      const names = known.map(({ name }) => name).join(', ');
      return unknown('several-nodes', `its MAC addresses are those of several hosts: ${names}`);
    }
    // A stranger that turns out to be several before is taken for the first of them.
    const node = known[0] ?? [...found][0];
    if (node !== undefined) return { kind: 'node', node };
    if (strangers >= limits.strangers) {
      return unknown('busy', `there have been more than ${limits.strangers} unknown machines`);
    }
    strangers += 1;
    return { kind: 'node', node: add({}) };
  };

  for (const host of expected) own(add(host), normalizeMacs(host.macs));
  return {
    byUuid: (uuid) => byUuid.get(uuid.toLowerCase()),
    byName: (name) => byName.get(name),
    findByMac: (mac) => byMac.get(mac),
    byMacs: (macs) => {
      const found = findOrAdd(macs);
      if (found.kind === 'node') own(found.node, macs);
      return found;
    },
    get size() {
      return byUuid.size;
    },
  };
}

/** The node that a request names by its UUID, or else by MAC addresses. */
export function findNode(nodes: NodeStore, query: URLSearchParams, macs: readonly string[]): Found {
  const uuid = query.get('node_uuid');
  if (uuid === null) return nodes.byMacs(macs);
  const node = nodes.byUuid(uuid);
  return node === undefined ? unknown('unknown-node', `there is no node ${uuid}`) : { kind: 'node', node };
}

function unknown(reason: RefusalReason, problem: string): Found {
  return { kind: 'unknown', problem, reason };
}

/**
 * Milliseconds without a call after which a machine that looks up again was booted anew. Its agent alone, started again by
 * systemd, is back sooner: it calls every half minute while it runs.
 */
const SILENCE_OF_A_BOOT = 120_000;

/** Notes a call that an agent makes as it starts. Ironic would have switched the machine off and on, and forgotten. */
export function recordStart(node: IronicNode, now: Date): void {
  const silence = node.calledAt === undefined ? 0 : now.getTime() - node.calledAt.getTime();
  if (silence > SILENCE_OF_A_BOOT) forgetAgent(node);
  node.calledAt = now;
}

/** What Ironic does when it switches the machine on or off. */
export function forgetAgent(node: IronicNode): void {
  node.token.forget();
  node.callbackUrl = undefined;
}

/** Instead of a token that has been told already. Agents know it. */
export const maskedToken = '******';

/** Bytes; agents take no token of less than 32 characters. */
const TOKEN_SIZE = 32;

type TokenState = 'right' | 'wrong' | 'missing';

interface AgentToken {
  /** For an answer to lookup: the token once, then the mask. */
  tell(): string;
  check(text: string | undefined): TokenState;
  /** Whether the boot medium brings it, so that it is never told. */
  readonly isOwn: boolean;
  /** The token itself, for questions to the agent; undefined where there is none yet. */
  current(): string | undefined;
  /** As Ironic does whenever it switches the machine on: the next lookup gets another token. */
  forget(): void;
}

/** @param pregenerated that the boot medium brings, so that it is never told by the API */
function createAgentToken(pregenerated: string | undefined): AgentToken {
  let token = pregenerated;
  return {
    tell: () => {
      if (token !== undefined) return maskedToken;
      token = randomBytes(TOKEN_SIZE).toString('base64url');
      return token;
    },
    check: (text) => {
      if (text === undefined || text === '') return 'missing';
      return token !== undefined && isEqual(text, token) ? 'right' : 'wrong';
    },
    isOwn: pregenerated !== undefined,
    current: () => token,
    forget: () => {
      token = pregenerated;
    },
  };
}

/** In a time that tells nothing about either of them. */
function isEqual(left: string, right: string): boolean {
  return timingSafeEqual(digestOf(left), digestOf(right));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Of one request; no machine has so many interfaces. */
const MAX_MACS = 1024;

/**
 * In lower case, each once; what Ironic does not take for one is left out, e.g. the longer addresses of InfiniBand and
 * those with dashes.
 */
export function normalizeMacs(texts: Iterable<string>): string[] {
  const macs = new Set<string>();
  for (const text of texts) {
    if (macs.size >= MAX_MACS) break;
    if (/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(text)) macs.add(copyOf(text.toLowerCase()));
  }
  return [...macs];
}

/** A part of a text keeps the whole text in memory, which may be a request of many kilobytes. */
function copyOf(ascii: string): string {
  return Buffer.from(ascii, 'latin1').toString('latin1');
}
