/**
 * NetworkManager keyfiles from OpenStack network data (`network_data.json`), as Nova, Ironic and Metal3 write it and
 * cloud-init and Glean read it: physical links, bonds and VLANs with static addresses, DHCP and autoconfiguration,
 * routes and name servers. Left out: InfiniBand, and the ports of a bond being bonds or VLANs themselves.
 */

import { hasErrors } from '../../core/finding.ts';
import { isMapping, type Mapping } from '../../formats/mapping.ts';
import type { KeyfileConversion } from '../convertNmstate.ts';
import { type DocumentPlace, expected, refuse, step } from '../documentPlace.ts';
import { type DataFields, has, optionalList, readMappings, warnUnused } from './fields.ts';
import { bondsByPort, checkLinks, readLink } from './links.ts';
import { checkNetworks, maxServices, readDataNetwork, readServices } from './networks.ts';
import { checkServers, type NetworkData, renderKeyfiles } from './profiles.ts';

const maxLinks = 256;
const maxNetworks = 256;

/** Converts a document as parsed from JSON or YAML; null and an empty one have no links. The keyfiles are in their order. */
export function convertNetworkData(document: unknown): KeyfileConversion {
  const place: DocumentPlace = { path: [], findings: [], format: 'network-data' };
  const data = readNetworkData(document ?? {}, place);
  const keyfiles = data === undefined || hasErrors(place.findings) ? [] : renderKeyfiles(data);
  return { keyfiles, findings: place.findings };
}

const topKeys: ReadonlySet<string> = new Set(['links', 'networks', 'services']);

function readNetworkData(document: unknown, place: DocumentPlace): NetworkData | undefined {
  if (!isMapping(document)) {
    return refuse(place, expected('a mapping with "links", "networks" and "services"', document));
  }
  if (Object.keys(document).length === 0) return { links: new Map(), networks: [], servers: [] };
  const fields: DataFields = { value: document, place };
  if (!Object.hasOwn(document, 'links'))
    return refuse(place, '"links" is missing', otherFormatHint(document));
  warnUnused(fields, (key) => topKeys.has(key));
  const listed = readMappings(document['links'], maxLinks, step(place, 'links'));
  const links = checkLinks(listed.flatMap((link) => readLink(link) ?? []));
  // Networks of links that were refused would be reported as dangling.
  if (hasErrors(place.findings)) return undefined;
  const networks = optionalList(fields, 'networks', maxNetworks).flatMap(
    (network) => readDataNetwork(network, links) ?? [],
  );
  checkPortsHaveNoNetworks(networks, links);
  checkNetworks(networks, links);
  const servers = readServices(optionalList(fields, 'services', maxServices));
  const data = { links, networks, servers };
  // A network that was refused is not missing.
  if (has(fields, 'services') && !hasErrors(place.findings)) checkServers(data, step(place, 'services'));
  return data;
}

/** Documents of other formats are the most frequent mistake. */
function otherFormatHint(document: Mapping): string {
  if (Object.hasOwn(document, 'interfaces'))
    return 'pass an nmstate document with --nmstate, or as nmstate in the inventory';
  if (Object.hasOwn(document, 'ethernets') || Object.hasOwn(document, 'config')) {
    return 'use network_data.json; the network config of cloud-init and netplan is another format';
  }
  return 'add "links": [ … ]';
}

function checkPortsHaveNoNetworks(networks: NetworkData['networks'], links: NetworkData['links']): void {
  const bonds = bondsByPort(links);
  for (const { place, linkId } of networks) {
    const bond = bonds.get(linkId);
    if (bond === undefined) continue;
    const hint = `use the id of the bond: ${JSON.stringify(bond.id)}`;
    refuse(step(place, 'link'), 'a port of a bond cannot have a network', hint);
  }
}
