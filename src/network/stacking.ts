/** How the interfaces of a document are stacked: controllers and ports, parents, both ends of a veth. */

import { quoteText } from '../core/foreignText.ts';
import { type Interface, readInterface, toInterface, type Unmanaged } from './interface.ts';
import { ipv6 } from './ipSettings.ts';
import { type DocumentPlace, refuse, refuseUnsupportedValue, step } from './documentPlace.ts';
import { isKernelName } from './interfaceName.ts';
import { list } from './readers.ts';

export interface InterfaceLinks {
  /** All interfaces with a profile, in the order of the document; ports without their own entry are last. */
  readonly interfaces: ReadonlyMap<string, Interface>;
  /** Interfaces with their own entry, in the order of the document. */
  readonly listed: readonly Interface[];
  /** By the name of the port. */
  readonly controllers: ReadonlyMap<string, PortOf>;
  /** What VLANs are on top of, by their names; the document may not contain the parent. */
  readonly parents: ReadonlyMap<string, string>;
  /** Finds an interface by its name or the name of its profile. */
  find(name: string): Interface | undefined;
}

interface PortOf {
  readonly controller: Interface;
  /** The item in its list of ports. */
  readonly place: DocumentPlace;
}

/** Reads the `interfaces` of a document, and checks their relations. */
export function readLinks(value: unknown, place: DocumentPlace): InterfaceLinks {
  const read = list(readInterface)(value, place) ?? [];
  const managed = read.filter((item) => 'type' in item);
  const unmanaged = new Map(read.filter((item) => 'state' in item).map((item) => [item.name, item]));
  checkNames(read, managed, place);
  const interfaces = new Map(managed.map((item) => [item.name, item]));
  addAssumedPorts(interfaces, unmanaged);
  addAssumedPeers(interfaces, unmanaged);
  const find = makeFind(interfaces);
  const links: InterfaceLinks = {
    interfaces,
    listed: managed,
    controllers: findControllers(interfaces),
    parents: findParents(interfaces, find),
    find,
  };
  for (const [name, { controller }] of links.controllers) {
    const port = links.interfaces.get(name);
    for (const family of ['ipv4', 'ipv6'] as const) {
      if (port?.fields[family]?.enabled !== true) continue;
      const message = `a port of ${controller.name} cannot have IP addresses`;
      const hint = `set enabled to false, or move the addresses to ${controller.name}`;
      refuse(step(port.place, family), message, hint);
    }
  }
  for (const [name, parent] of links.parents) {
    const base = interfaces.get(name)?.fields.vlan?.place ?? place;
    if (parent === name) refuse(base, 'the interface is its own parent');
    else if (unmanaged.get(parent)?.state === 'absent') refuse(base, `${parent} has state absent`);
    else if (!links.interfaces.has(parent) && !isKernelName(parent)) {
      refuse(base, 'not an interface or a profile of this document, and not a valid interface name');
    }
  }
  const depths = findDepths(links);
  const onItself = managed.find(({ name }) => depths.get(name) === Infinity);
  if (onItself !== undefined) {
    const hint = 'remove a port from the list of its controller, or change base-iface';
    refuse(onItself.place, 'the interface is a port of itself, or on top of itself', hint);
    return links;
  }
  for (const { isUp, name } of managed) {
    const { controller, place: at = place } = links.controllers.get(name) ?? {};
    if (!isUp || controller?.isUp !== false || !links.controllers.has(controller.name)) continue;
    const hint = `set state of ${controller.name} to up, with an entry in "interfaces"`;
    refuse(at, `${controller.name} is a port, too, but not up`, hint);
  }
  // Profiles are stored as files named by their id, so one would replace the other.
  const ids = new Set<string>();
  for (const { id, place: at } of interfaces.values()) {
    if (ids.has(id)) refuse(at, `two profiles would have the name ${quoteText(id)}`);
    ids.add(id);
  }
  return links;
}

/** nmstate uses the last of two interfaces with the same name, which is a mistake. */
function checkNames(
  read: readonly (Interface | Unmanaged)[],
  managed: readonly Interface[],
  place: DocumentPlace,
): void {
  const names = new Set<string>();
  const twins = new Set<string>();
  for (const { name } of read) (names.has(name) ? twins : names).add(name);
  for (const name of twins) {
    const hint = `remove or rename one of the interfaces ${quoteText(name)}`;
    refuse(place, 'two interfaces have the same name', hint);
  }
  for (const { place: own, name, profileName } of managed) {
    if (profileName === undefined || profileName === name || !names.has(profileName)) continue;
    refuse(step(own, 'profile-name'), 'another interface has this name');
  }
}

/** nmstate treats ports without their own entry in the document as Ethernet interfaces. */
function addAssumedPorts(
  interfaces: Map<string, Interface>,
  unmanaged: ReadonlyMap<string, Unmanaged>,
): void {
  for (const { asController } of interfaces.values()) {
    for (const { name: port, place } of asController?.ports ?? []) {
      const state = unmanaged.get(port)?.state;
      const isKnown = interfaces.has(port);
      if (state !== undefined) refuse(place, `port ${port} has state ${state}`);
      else if (!isKnown && (!isKernelName(port) || port === 'lo')) {
        refuse(place, `port ${quoteText(port)} cannot be an Ethernet interface`);
      } else if (!isKnown) interfaces.set(port, toInterface(port, 'ethernet', {}, place));
    }
  }
}

/**
 * nmstate writes a profile for the other end of a veth interface, unless the document lists it. Of several interfaces with the
 * same other end, the last one counts, and only one may be up.
 */
function addAssumedPeers(
  interfaces: Map<string, Interface>,
  unmanaged: ReadonlyMap<string, Unmanaged>,
): void {
  const assumed = new Map<string, Interface>();
  const sorted = [...interfaces.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const { fields, isUp, name, place } of sorted) {
    if (fields.veth === undefined) continue;
    const { peer } = fields.veth;
    const at = step(place, 'veth', 'peer');
    const isShared = isUp && assumed.get(peer)?.isUp === true;
    if (unmanaged.has(peer) || isShared) {
      refuseUnsupportedValue(at, `a peer that is ${isShared ? 'shared' : 'not managed'}`);
    } else if (!isKernelName(peer) || peer === 'lo') refuse(at, 'invalid interface name');
    else if (!interfaces.has(peer)) {
      const { state = 'up' } = fields;
      const own = { state, veth: { peer: name }, ipv6: ipv6({}, at) };
      assumed.set(peer, toInterface(peer, 'veth', own, at));
    }
  }
  for (const [peer, link] of assumed) interfaces.set(peer, link);
}

function findControllers(interfaces: ReadonlyMap<string, Interface>): Map<string, PortOf> {
  const controllers = new Map<string, PortOf>();
  for (const controller of interfaces.values()) {
    for (const { name, place } of controller.asController?.ports ?? []) {
      if (name === controller.name) refuse(place, 'the interface is its own port');
      else if (controllers.has(name)) refuse(place, `port ${name} is listed twice`);
      else controllers.set(name, { controller, place });
    }
  }
  return controllers;
}

/** Names of interfaces that are up take precedence over names of profiles. */
function makeFind(interfaces: ReadonlyMap<string, Interface>): InterfaceLinks['find'] {
  const profiles = new Map(Array.from(interfaces.values(), (item) => [item.profileName, item]));
  return (name) => {
    const own = interfaces.get(name);
    return own !== undefined && own.isUp && !own.foundByMac ? own : profiles.get(name);
  };
}

/** Only interfaces that are up resolve the name of a profile. */
function findParents(
  interfaces: ReadonlyMap<string, Interface>,
  find: InterfaceLinks['find'],
): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { name, fields, isUp } of interfaces.values()) {
    const written = fields.vlan?.parent;
    if (written === undefined) continue;
    const found = isUp ? find(written) : undefined;
    parents.set(name, found?.name ?? written);
  }
  return parents;
}

/** In the order of nmstate: controllers before ports, and parents before VLANs; otherwise by name. */
export function sortByActivation(links: InterfaceLinks): Interface[] {
  const depths = findDepths(links);
  const listed = new Set(links.listed);
  const order = (item: Interface): number =>
    item.isUp && listed.has(item) ? (depths.get(item.name) ?? 0) : 0;
  return [...links.interfaces.values()].toSorted((a, b) => order(a) - order(b) || (a.name < b.name ? -1 : 1));
}

/** How many interfaces are activated before each one: its parent or controller, and theirs. Infinite for one on top of itself. */
function findDepths({ controllers, interfaces, parents }: InterfaceLinks): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const start of interfaces.keys()) {
    const chain = new Set<string>();
    let name: string | undefined = start;
    while (name !== undefined && !depths.has(name) && !chain.has(name)) {
      chain.add(name);
      const parent = parents.get(name);
      name = parent !== undefined && interfaces.has(parent) ? parent : controllers.get(name)?.controller.name;
    }
    let depth = name === undefined ? -1 : (depths.get(name) ?? Infinity);
    for (const above of [...chain].toReversed()) depths.set(above, (depth += 1));
  }
  return depths;
}
