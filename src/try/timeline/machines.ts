/**
 * Who is who. Names of the inventory, MAC addresses and UUIDs of nodes say so for sure: what shares one of them is one
 * machine. An address that requests come from says less, as a BMC, a proxy or a new lease may be behind it; so what is
 * known of an address only stays apart, as a visitor, and `claims` says which machines came from there. Whose an event is
 * is decided once, when it comes.
 */

import { absorbLog, createEntryLog, type EntryLog } from './entries.ts';
import type { TrialEvent } from './events.ts';
import { type Marks, marksOf } from './marks.ts';

/** A host that is to call home. */
export interface ExpectedHost {
  /** In the inventory: `worker-0`. */
  readonly name: string;
  /** In lower case with colons; may be none. */
  readonly macs: readonly string[];
}

export interface TimelineLimits {
  /** Strangers, and as many visitors; hosts that are expected are always kept. */
  readonly hosts: number;
  readonly macs: number;
  /** Of one machine or visitor. */
  readonly entries: number;
  /** Of all strangers and visitors together. */
  readonly entriesOfOthers: number;
}

/** Known by a name, a MAC address or a UUID. */
export interface Machine {
  readonly id: number;
  readonly name: string | undefined;
  readonly isExpected: boolean;
  /** By the inventory. */
  readonly listedMacs: readonly string[];
  /** What the machine itself says that it has. */
  readonly seenMacs: Set<string>;
  readonly nodes: Set<string>;
  /** Addresses. */
  readonly clients: Set<string>;
  readonly log: EntryLog;
}

/** All that is known of an address alone. */
export interface Visitor {
  readonly id: number;
  readonly client: string;
  readonly log: EntryLog;
}

/** Changes as events are told to it. */
export interface Machines {
  readonly machines: Set<Machine>;
  readonly visitors: Map<string, Visitor>;
  /** Which machines came from an address. */
  readonly claims: Map<string, Set<Machine>>;
  readonly byName: Map<string, Machine>;
  readonly byMac: Map<string, Machine>;
  readonly byNode: Map<string, Machine>;
  readonly limits: TimelineLimits;
  /** Those that are expected among them. */
  readonly mostMachines: number;
  nextId: number;
  /** Since they were counted last. */
  newEntries: number;
  /** How many machines and visitors were forgotten for younger ones. */
  dropped: number;
}

/** Addresses and UUIDs of one machine. */
const mostClients = 16;
const mostNodes = 8;

/** Nobody was seen so far. */
export function createMachines(expected: readonly ExpectedHost[], limits: TimelineLimits): Machines {
  const all: Machines = {
    machines: new Set(),
    visitors: new Map(),
    claims: new Map(),
    byName: new Map(),
    byMac: new Map(),
    byNode: new Map(),
    limits,
    mostMachines: expected.length + limits.hosts,
    nextId: 1,
    newEntries: 0,
    dropped: 0,
  };
  for (const { name, macs } of expected) {
    if (all.byName.has(name)) continue;
    const machine = addMachine(all, { name, isExpected: true, listedMacs: macs });
    for (const mac of macs) all.byMac.set(mac, machine);
  }
  return all;
}

/**
 * Whose event it is: that of a machine, which may be told from others by this, or of a visitor. Undefined for one of neither,
 * which no client sent.
 */
export function findMachine(all: Machines, event: TrialEvent): Machine | Visitor | undefined {
  const marks = marksOf(event);
  const matches = matchesOf(all, marks);
  const isKnowing = marks.name !== undefined || marks.macs.length > 0 || marks.isNodeSure;
  if (matches.size === 0 && !isKnowing) {
    if (event.client === undefined) return undefined;
    return callerFrom(all, event, event.client) ?? visitorFor(all, event.client);
  }
  const machine = joinMatches(all, matches, marks);
  learn(all, machine, marks, event.client);
  return event.client === undefined ? machine : joinNameless(all, machine, event.client);
}

/**
 * Whose a call is that does not say so: of the machine that alone came from its address so far. That is for good, so that
 * the report says what the log has said. Files that all hosts share are fetched before a machine says who it is.
 */
function callerFrom({ claims }: Machines, { kind }: TrialEvent, client: string): Machine | undefined {
  const [machine, ...others] = claims.get(client) ?? [];
  return kind === 'fetch' || others.length > 0 ? undefined : machine;
}

/**
 * A host of which the inventory has no MAC address, and of which only fetches were seen, and a machine without a name are
 * one, where nobody else came from their address: there is no other way to see that such a host is home.
 * @returns the one that the machine is part of now
 */
function joinNameless(all: Machines, machine: Machine, client: string): Machine {
  const claimers = firstOf(all.claims.get(client) ?? [], 3);
  const host = claimers.find(({ name }) => name !== undefined);
  const other = claimers.find(({ name }) => name === undefined);
  if (host === undefined || other === undefined || claimers.length > 2) return machine;
  if (host.listedMacs.length > 0 || host.seenMacs.size > 0 || host.nodes.size > 0) return machine;
  absorbMachine(all, host, other);
  return host;
}

function addMachine(all: Machines, known: Pick<Machine, 'name' | 'isExpected' | 'listedMacs'>): Machine {
  const machine: Machine = {
    ...known,
    id: all.nextId++,
    seenMacs: new Set(),
    nodes: new Set(),
    clients: new Set(),
    log: createEntryLog(),
  };
  all.machines.add(machine);
  if (machine.name !== undefined) all.byName.set(machine.name, machine);
  return machine;
}

/** With how many of the marks each has. */
function matchesOf(all: Machines, { name, macs, node }: Marks): Map<Machine, number> {
  const found = [
    name === undefined ? undefined : all.byName.get(name),
    ...macs.map((mac) => all.byMac.get(mac)),
    node === undefined ? undefined : all.byNode.get(node),
  ];
  const counts = new Map<Machine, number>();
  for (const machine of found) {
    if (machine !== undefined) counts.set(machine, (counts.get(machine) ?? 0) + 1);
  }
  return counts;
}

/** The machine of these that it is; those without a name become part of it. */
function joinMatches(all: Machines, matches: ReadonlyMap<Machine, number>, { name }: Marks): Machine {
  const named = name === undefined ? undefined : (all.byName.get(name) ?? addNamed(all, name));
  const target = named ?? likeliest(matches) ?? addStranger(all);
  for (const machine of matches.keys()) {
    if (machine !== target && machine.name === undefined) absorbMachine(all, target, machine);
  }
  return target;
}

function addNamed(all: Machines, name: string): Machine {
  const machine = addMachine(all, { name, isExpected: false, listedMacs: [] });
  makeRoom(all, machine);
  return machine;
}

function addStranger(all: Machines): Machine {
  const machine = addMachine(all, { name: undefined, isExpected: false, listedMacs: [] });
  makeRoom(all, machine);
  return machine;
}

/** `other` becomes part of `target`. */
function absorbMachine(all: Machines, target: Machine, other: Machine): void {
  absorbLog(target.log, other.log, all.limits.entries);
  forget(all, other);
  for (const mac of other.seenMacs) addMac(all, target, mac);
  for (const node of other.nodes) addNode(all, target, node);
  for (const client of other.clients) addClient(all, target, client);
}

function learn(all: Machines, machine: Machine, { macs, node }: Marks, client: string | undefined): void {
  for (const mac of macs) addMac(all, machine, mac);
  if (node !== undefined) addNode(all, machine, node);
  if (client !== undefined) addClient(all, machine, client);
}

/** The address of another machine by the inventory stays that machine's. */
function addMac(all: Machines, machine: Machine, mac: string): void {
  touch(machine.seenMacs, mac);
  if (all.byMac.get(mac)?.name === undefined) all.byMac.set(mac, machine);
  for (const old of surplus(machine.seenMacs, all.limits.macs)) {
    if (all.byMac.get(old) === machine && !machine.listedMacs.includes(old)) all.byMac.delete(old);
  }
}

function addNode(all: Machines, machine: Machine, node: string): void {
  touch(machine.nodes, node);
  all.byNode.set(node, machine);
  for (const old of surplus(machine.nodes, mostNodes)) {
    if (all.byNode.get(old) === machine) all.byNode.delete(old);
  }
}

function addClient(all: Machines, machine: Machine, client: string): void {
  touch(machine.clients, client);
  const claimers = all.claims.get(client) ?? new Set();
  all.claims.set(client, claimers.add(machine));
  for (const old of surplus(machine.clients, mostClients)) unclaim(all, machine, old);
}

function unclaim(all: Machines, machine: Machine, client: string): void {
  const claimers = all.claims.get(client);
  claimers?.delete(machine);
  if (claimers?.size === 0) all.claims.delete(client);
}

function visitorFor(all: Machines, client: string): Visitor {
  const known = all.visitors.get(client);
  const visitor = known ?? { id: all.nextId++, client, log: createEntryLog() };
  // The one that came last stands last.
  all.visitors.delete(client);
  all.visitors.set(client, visitor);
  if (all.visitors.size > all.limits.hosts) dropVisitors(all);
  return visitor;
}

/**
 * Is told of each entry that is new. From time to time, as counting takes time, it sees whether others than expected ones
 * have too many; then some of them are forgotten.
 */
export function noteNewEntry(all: Machines): void {
  const most = all.limits.entriesOfOthers;
  all.newEntries++;
  if (all.newEntries < shareOf(most)) return;
  all.newEntries = 0;
  for (;;) {
    const strangers = strangersOf(all);
    const ofStrangers = countEntries(strangers);
    const ofVisitors = countEntries(all.visitors.values());
    if (ofStrangers + ofVisitors <= most) return;
    if (ofVisitors >= ofStrangers) dropVisitors(all);
    else dropStrangers(all, strangers);
  }
}

function countEntries(others: Iterable<Machine | Visitor>): number {
  let count = 0;
  for (const { log } of others) count += log.entries.size;
  return count;
}

function strangersOf({ machines }: Machines): Machine[] {
  return [...machines].filter(({ isExpected }) => !isExpected);
}

/** Several at once, since looking for the first of a map from which the first is taken each time gets slow. */
function dropVisitors(all: Machines): void {
  for (const client of firstOf(all.visitors.keys(), shareOf(all.visitors.size))) {
    all.visitors.delete(client);
    all.dropped++;
  }
}

function makeRoom(all: Machines, newest: Machine): void {
  if (all.machines.size <= all.mostMachines) return;
  dropStrangers(
    all,
    strangersOf(all).filter((machine) => machine !== newest),
  );
}

/** Those that never came home, before those that did; the ones that were quiet for longest first. */
function dropStrangers(all: Machines, strangers: readonly Machine[]): void {
  const ranked = strangers
    .map((machine) => ({ machine, isHome: machine.log.milestones.has('heartbeat'), last: lastOf(machine) }))
    .toSorted((a, b) => Number(a.isHome) - Number(b.isHome) || a.last - b.last);
  for (const { machine } of ranked.slice(0, shareOf(strangers.length))) {
    forget(all, machine);
    all.dropped++;
  }
}

function forget(all: Machines, machine: Machine): void {
  all.machines.delete(machine);
  if (machine.name !== undefined) all.byName.delete(machine.name);
  for (const mac of machine.seenMacs) {
    if (all.byMac.get(mac) === machine) all.byMac.delete(mac);
  }
  for (const node of machine.nodes) {
    if (all.byNode.get(node) === machine) all.byNode.delete(node);
  }
  for (const client of machine.clients) unclaim(all, machine, client);
}

/** One with a name before one without, then that with the most marks, then the first that was known. */
function likeliest(matches: ReadonlyMap<Machine, number>): Machine | undefined {
  const ranked = [...matches].toSorted(
    ([a, marksOfA], [b, marksOfB]) =>
      Number(b.name !== undefined) - Number(a.name !== undefined) || marksOfB - marksOfA || a.id - b.id,
  );
  return ranked[0]?.[0];
}

function lastOf({ log }: Machine): number {
  let last = 0;
  for (const { at } of log.latest.values()) last = Math.max(last, at.getTime());
  return last;
}

/** At the end of the set, whether it was there or not. */
function touch(set: Set<string>, item: string): void {
  set.delete(item);
  set.add(item);
}

/** What is too much is taken out of the set. */
function surplus(set: Set<string>, most: number): readonly string[] {
  const old = firstOf(set, set.size - most);
  for (const item of old) set.delete(item);
  return old;
}

function firstOf<T>(items: Iterable<T>, count: number): readonly T[] {
  const first: T[] = [];
  if (count <= 0) return first;
  for (const item of items) {
    first.push(item);
    if (first.length === count) break;
  }
  return first;
}

/** So many are forgotten at a time. */
function shareOf(most: number): number {
  return Math.ceil(most / 10);
}
