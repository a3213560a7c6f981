/**
 * NetworkManager keyfiles from an nmstate document, for machines without nmstate: the same text as `nmstatectl gc` of
 * nmstate 2.2 gives, to the byte. Covered are Ethernet, VLAN, bond, Linux bridge and dummy interfaces, static
 * addresses, DHCP and autoconfiguration, routes and DNS. Everything else is refused by the name of its key: Open
 * vSwitch, VRF, tunnels and other types, route rules, 802.1X, ethtool, SR-IOV, alternative names, and `controller`,
 * which the port list of the controller says as well.
 */

import { isMapping } from '../formats/mapping.ts';
import type { Finding } from '../core/finding.ts';
import { readDns } from './dns.ts';
import { type Links, readLinks, sortByActivation } from './links.ts';
import { type Network, renderProfile } from './profile.ts';
import {
  list,
  notCovered,
  object,
  type Place,
  type Reader,
  refuse,
  remark,
  step,
  text,
  textOrEmpty,
} from './readers.ts';
import { readRoutes } from './routes.ts';

export interface Keyfile {
  /** Of the file: `eth0.nmconnection`. */
  readonly name: string;
  readonly text: string;
}

export interface NmstateConversion {
  /** In the order of activation; none if a finding is an error. */
  readonly keyfiles: readonly Keyfile[];
  /** Errors, and warnings about what nmstate leaves out. Paths are those of the document. */
  readonly findings: readonly Finding[];
}

/** Converts a document as parsed from YAML or JSON; null, an empty one, has no interfaces. */
export function convertNmstate(document: unknown): NmstateConversion {
  const place: Place = { path: [], findings: [] };
  const network = readNetwork(document === null ? {} : document, place);
  const sorted = sortByActivation(network.links, step(place, 'interfaces'));
  if (place.findings.some(({ severity }) => severity === 'error')) {
    return { keyfiles: [], findings: place.findings };
  }
  const keyfiles = sorted.map((link) => ({
    name: `${link.id}.nmconnection`,
    text: renderProfile(link, network),
  }));
  return { keyfiles, findings: place.findings };
}

const sectionNames: ReadonlySet<string> = new Set([
  'interfaces',
  'routes',
  'dns-resolver',
  'route-rules',
  'hostname',
  'description',
]);

function readNetwork(document: unknown, place: Place): Network {
  const sections = isMapping(document) ? document : {};
  if (!isMapping(document)) refuse(place, 'an nmstate document is a mapping with the key "interfaces"');
  for (const name of Object.keys(sections)) {
    if (!sectionNames.has(name)) notCovered(step(place, name), JSON.stringify(name.slice(0, 60)));
  }
  const links = readLinks(sectionOf(sections, 'interfaces', []), step(place, 'interfaces'));
  checkOthers(sections, place);
  return {
    links,
    routes: readRoutes(sectionOf(sections, 'routes', {}), links, step(place, 'routes')),
    dns: readDns(sectionOf(sections, 'dns-resolver', {}), links, step(place, 'dns-resolver')),
    copiedMacs: copyMacs(links, place),
  };
}

function sectionOf(sections: Readonly<Record<string, unknown>>, name: string, absent: unknown): unknown {
  return Object.hasOwn(sections, name) ? sections[name] : absent;
}

const readHostname = object({ running: text, config: text });

/** What leaves no trace in keyfiles. */
function checkOthers(sections: Readonly<Record<string, unknown>>, place: Place): void {
  if (sections['description'] !== undefined) textOrEmpty(sections['description'], step(place, 'description'));
  if (sections['route-rules'] !== undefined) emptyRules(sections['route-rules'], step(place, 'route-rules'));
  if (sections['hostname'] === undefined) return;
  const at = step(place, 'hostname');
  if (readHostname(sections['hostname'], at)?.config === undefined) return;
  remark(step(at, 'config'), 'the host name is not set by keyfiles', 'give it with --hostname');
}

const emptyRules: Reader<unknown> = (value, place) => {
  const rules: unknown = isMapping(value) ? (value['config'] ?? []) : value;
  const isEmpty = isMapping(value) && Array.isArray(rules) && rules.length === 0;
  return isEmpty ? object({ config: list(text) })(value, place) : notCovered(place, '"route-rules"');
};

function copyMacs(links: Links, place: Place): Map<string, string> {
  const macs = new Map<string, string>();
  for (const { name, path, copyMacFrom } of links.listed) {
    if (copyMacFrom === undefined) continue;
    const mac = links.find(copyMacFrom)?.macToCopy;
    const at = { path: [...path, 'copy-mac-from'], findings: place.findings };
    if (mac === undefined) {
      refuse(at, `the MAC address of ${copyMacFrom} is not known`, 'give that interface a mac-address');
    } else macs.set(name, mac);
  }
  return macs;
}
