/**
 * Networks in NMStateConfigs and AgentConfigs use logical names of interfaces, with a list of their MAC addresses beside the
 * network. nmstate finds the interfaces if the network contains the addresses.
 */

import { asList, asMapping, isMapping, type Mapping } from '../formats/mapping.ts';

/**
 * Returns the network, whose Ethernet interfaces are identified by their MAC addresses.
 * @param named a list of `name` and `macAddress`
 */
export function identifyByMac(network: Mapping, named: unknown): Mapping {
  const listed = asList(network['interfaces']);
  const macs = new Map<unknown, unknown>();
  for (const item of asList(named)) {
    const { name, macAddress } = asMapping(item);
    if (typeof name === 'string' && typeof macAddress === 'string') macs.set(name, macAddress);
  }
  if (macs.size === 0) return network;
  const interfaces = listed.map((item) => {
    const { name, type = 'ethernet', identifier } = asMapping(item);
    const mac = macs.get(name);
    const isFound = isMapping(item) && type === 'ethernet' && identifier === undefined && mac !== undefined;
    return isFound ? { ...item, identifier: 'mac-address', 'mac-address': mac } : item;
  });
  const written = new Set(listed.map((item) => asMapping(item)['name']));
  const text = JSON.stringify(listed);
  // Ports and parents without an entry of their own.
  const used = [...macs].filter(([name]) => !written.has(name) && text.includes(JSON.stringify(name)));
  const added = used.map(([name, mac]) => ({
    name,
    type: 'ethernet',
    state: 'up',
    identifier: 'mac-address',
    'mac-address': mac,
  }));
  return { ...network, interfaces: [...interfaces, ...added] };
}
