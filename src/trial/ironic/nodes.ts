/**
 * The nodes of the mock Ironic, one for each machine. Each has an agent token, with which Ironic and the agent authenticate each other. The first lookup creates and returns it. Later lookups return only a mask, so a restarted agent cannot continue.
 * This protects Ironic from clients that use a MAC address of another machine.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { createTokenCheck } from '../../http/server/accessCheck.ts';
import { plainText } from '../../http/server/textResponse.ts';
import type { Machine, Machines } from '../timeline/machines.ts';
import { type RefusedRequest, refuseRequest } from './messages.ts';

/** Mutable: requests of the machine change it. */
export interface IronicNode {
  readonly uuid: string;
  readonly machine: Machine;
  readonly token: Readonly<ReturnType<typeof createAgentToken>>;
  /** Callback URL of its heartbeats since the boot. */
  callbackUrl: string | undefined;
  calledAt: Date | undefined;
}

export type NodeStore = Readonly<ReturnType<typeof createNodeStore>>;

/** @param uuids by the names of hosts; other nodes get a new one */
export function createNodeStore(machines: Machines, uuids: ReadonlyMap<string, string> = new Map()) {
  const nodes = new Map<Machine, IronicNode>();
  const nodeOf = (machine: Machine): IronicNode => {
    const known = nodes.get(machine);
    if (known !== undefined) return known;
    const uuid = uuids.get(machine.name ?? '') ?? randomUUID();
    const token = createAgentToken();
    const node = { uuid, machine, token, callbackUrl: undefined, calledAt: undefined };
    machine.nodes.add(uuid);
    nodes.set(machine, node);
    return node;
  };
  for (const host of machines.all) nodeOf(host);
  const find = (isMeant: (node: IronicNode) => boolean): IronicNode | undefined =>
    [...nodes.values()].find(isMeant);
  return {
    byUuid: (uuid: string) => find((node) => node.uuid === uuid.toLowerCase()),
    findByMac: (mac: string) =>
      find(({ machine }) => machine.listedMacs.includes(mac) || machine.seenMacs.has(mac)),
    byMacs: (macs: readonly string[], client: string): IronicNode | RefusedRequest => {
      if (macs.length === 0)
        return refuseRequest(400, 'it contains no valid MAC address', 'no-mac-addresses');
      const hosts = Array.from(machines.hostsWith(macs), ({ name }) => name);
      if (hosts.length > 1) {
        const problem = `its MAC addresses belong to several hosts: ${hosts.join(', ')}`;
        return refuseRequest(404, problem, 'several-nodes');
      }
      const seen = { macs, name: undefined, node: undefined, isNodeVerified: false };
      const machine = machines.find(seen, client);
      return machine === undefined ? refuseRequest(404, 'too many unknown machines') : nodeOf(machine);
    },
  };
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

function createAgentToken() {
  let token: string | undefined;
  return {
    /** Returns the token once, then the mask. */
    issue: (): string => {
      if (token !== undefined) return MASKED_TOKEN;
      token = randomBytes(TOKEN_SIZE).toString('base64url');
      return token;
    },
    check: (text: string | undefined): 'valid' | 'invalid' | 'missing' => {
      if (text === undefined || text === '') return 'missing';
      return token !== undefined && createTokenCheck([token])(text) ? 'valid' : 'invalid';
    },
    /** The token, for requests to the agent; undefined before the first lookup. */
    current: (): string | undefined => token,
    /** The next lookup gets another token, as after Ironic powers the machine on. */
    reset: (): void => {
      token = undefined;
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
