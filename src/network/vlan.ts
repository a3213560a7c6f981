/** VLANs: the `vlan` part of an interface. */

import {
  integer,
  linkName,
  list,
  objectWith,
  oneOf,
  type Reader,
  strictFlag,
  uint32,
  type WithKeys,
} from './readers.ts';

export interface Vlan {
  /** As the document names it: an interface, or a profile. */
  readonly parent: string;
  /** Of the `[vlan]` section, besides the parent. */
  readonly entries: Readonly<Record<string, string>>;
}

/** Priorities in a VLAN header. */
const headerPriority = integer(0, 7);

const vlanShape = {
  'base-iface': linkName,
  id: integer(0, 4094),
  protocol: oneOf(['802.1q', '802.1ad']),
  'registration-protocol': oneOf(['gvrp', 'mvrp', 'none']),
  'reorder-headers': strictFlag,
  'loose-binding': strictFlag,
  'ingress-qos-map': list(objectWith({ from: headerPriority, to: uint32 }, ['from', 'to'])),
  'egress-qos-map': list(objectWith({ from: uint32, to: headerPriority }, ['from', 'to'])),
};

type VlanFields = WithKeys<typeof vlanShape, 'base-iface' | 'id'>;
type QosMap = readonly { readonly from: number; readonly to: number }[];

const readVlanFields = objectWith(vlanShape, ['base-iface', 'id']);

export const vlan: Reader<Vlan> = (value, place) => {
  const fields = readVlanFields(value, place);
  return fields === undefined ? undefined : { parent: fields['base-iface'], entries: vlanEntries(fields) };
};

function vlanEntries(fields: VlanFields): Record<string, string> {
  const { id, protocol } = fields;
  return {
    id: String(id),
    flags: String(vlanFlags(fields)),
    ...(protocol === undefined ? {} : { protocol: protocol === '802.1q' ? '802.1Q' : protocol }),
    'ingress-priority-map': formatQosMap(fields['ingress-qos-map'] ?? []),
    'egress-priority-map': formatQosMap(fields['egress-qos-map'] ?? []),
  };
}

/** NetworkManager's `NMVlanFlags`. */
function vlanFlags(fields: VlanFields): number {
  const reorderHeaders = (fields['reorder-headers'] ?? true) ? 1 : 0;
  const gvrp = fields['registration-protocol'] === 'gvrp' ? 2 : 0;
  const looseBinding = fields['loose-binding'] === true ? 4 : 0;
  const mvrp = fields['registration-protocol'] === 'mvrp' ? 8 : 0;
  return reorderHeaders | gvrp | looseBinding | mvrp;
}

function formatQosMap(map: QosMap): string {
  return map
    .toSorted((a, b) => a.from - b.from || a.to - b.to)
    .map(({ from, to }) => `${from}:${to}`)
    .join(';');
}
