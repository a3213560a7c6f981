/** Rules about the network of a host, for configs, images and hosts of an inventory. */

import { lintErrors, lintWarnings } from '../core/rule.ts';

export const networkRules = {
  ...lintErrors({
    'agent-keyfile': [
      'NetworkManager ignores a keyfile, so the connection does not exist',
      'fix the keyfile',
    ],
  }),
  ...lintWarnings({
    'agent-network': ['a connection of the host cannot work', 'fix the keyfile of the connection'],
    'agent-network-name': [
      'a connection is for an interface with a name that no machine gives, and sets its MAC address',
      'to find the interface by its MAC address, set mac-address= in [ethernet] instead of cloned-mac-address=',
    ],
    'agent-network-reach': [
      'the network of the host does not reach a server that the host requires',
      'add an address, a gateway, a route or a DNS server to the network',
    ],
    'agent-network-address': [
      'a server that the host requires has the same address as the host',
      'set another address for the host, or fix that of the server',
    ],
  }),
};
