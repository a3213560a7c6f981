/**
 * The agent's option `enable_vlan_interfaces`: VLANs that LLDP tells of become interfaces of the ramdisk. With a network
 * that is set up for the host they would only get in the way.
 */

import { FormatError } from '../core/errors.ts';
import { splitList } from './lists.ts';

const interfaceName = /^[^\s/:%"'\\$\p{Cc}][^\s/%"'\\$\p{Cc}]{0,30}$/u;

/**
 * The option's value for a mode (`always`, `never`, `auto`, in any case) or a list of interfaces, with or without VLAN.
 * Throws FormatError without a subject.
 */
export function parseVlanInterfaces(text: string, hasNetwork: boolean): string {
  const word = text.trim().toLowerCase();
  if (word === 'always' || word === 'all') return 'all';
  if (word === 'never') return '';
  if (word === 'auto') return hasNetwork ? '' : 'all';
  const names = splitList(text);
  const wrong = names.find((name) => !interfaceName.test(name));
  if (wrong === undefined && names.length > 0) return names.join(',');
  throw new FormatError('is neither always, never or auto nor a list of interfaces', {
    hint: 'name interfaces like eno1,eno2.100',
  });
}
