/** What a section of an interface says about its link: Ethernet with its virtual functions (SR-IOV), and VLAN. */

import type { ConvertedEntries, ConvertedEntry } from './convertedKeyfile.ts';
import { type DocumentPlace, refuse, step } from './documentPlace.ts';
import * as reader from './readers.ts';

export interface Ethernet {
  /** Entries of the `[ethernet]` section. */
  readonly entries: ConvertedEntries;
  /** Entries of the `[sriov]` section; undefined without virtual functions. */
  readonly virtual: ConvertedEntries | undefined;
}

const virtualFunctionShape = {
  id: reader.uint32,
  /** nmstate only shows it. */
  'iface-name': reader.present(reader.textOrEmpty),
  'mac-address': reader.macAddress,
  'spoof-check': reader.flag,
  trust: reader.flag,
  'min-tx-rate': reader.uint32,
  'max-tx-rate': reader.uint32,
  'vlan-id': reader.uint32,
  'vlan-proto': reader.oneOf(['802.1q', '802.1ad']),
  qos: reader.uint32,
};

const readVirtualFunctionFields = reader.object(virtualFunctionShape, ['id']);

const readEthernetFields = reader.object({
  'auto-negotiation': reader.flag,
  speed: reader.uint32,
  duplex: reader.oneOf(['full', 'half']),
  'sr-iov': reader.object({
    'drivers-autoprobe': reader.flag,
    'total-vfs': reader.uint32,
    /** nmstate only shows it. */
    'max-vfs': reader.uint32,
    vfs: reader.list(virtualFunction),
  }),
});

/** Speed and duplex apply only without autonegotiation. */
export const ethernet = reader.mapped(readEthernetFields, (fields, place): Ethernet => {
  const entry = reader.entryMaker(fields, place);
  const isFixed = fields['auto-negotiation'] === false;
  const { 'sr-iov': virtual } = fields;
  const at = step(place, 'sr-iov');
  const ofVirtual = reader.entryMaker(virtual ?? {}, at);
  const functions = virtual?.vfs ?? [];
  const byKey = Object.fromEntries(functions);
  if (Object.keys(byKey).length < functions.length)
    refuse(step(at, 'vfs'), 'two virtual functions have the same id');
  return {
    entries: {
      'auto-negotiate': entry('auto-negotiation'),
      ...(isFixed && { speed: entry('speed'), duplex: entry('duplex') }),
    },
    virtual:
      virtual === undefined || virtual['total-vfs'] === 0
        ? undefined
        : {
            'autoprobe-drivers': ofVirtual(
              'drivers-autoprobe',
              reader.formatBit(virtual['drivers-autoprobe']),
            ),
            'total-vfs': ofVirtual('total-vfs'),
            ...byKey,
          },
  };
});

/** The key of a virtual function in the keyfile, and its value. */
function virtualFunction(
  value: unknown,
  place: DocumentPlace,
): readonly [string, ConvertedEntry | undefined] | undefined {
  const fields = readVirtualFunctionFields(value, place);
  if (fields === undefined) return undefined;
  const { qos = 0, 'vlan-id': id, 'vlan-proto': protocol = '802.1q' } = fields;
  if (protocol === '802.1ad' && (id ?? 0) === 0 && qos === 0) {
    refuse(step(place, 'vlan-proto'), 'requires vlan-id or qos');
  }
  const options = [
    ['mac', fields['mac-address']],
    ['spoof-check', fields['spoof-check']],
    ['trust', fields.trust],
    ['min-tx-rate', fields['min-tx-rate']],
    ['max-tx-rate', fields['max-tx-rate']],
    ['vlans', id === undefined ? undefined : `${id}.${qos}.${protocol.slice('802.1'.length)}`],
  ] as const;
  return [`vf.${fields.id}`, reader.entryAt(place, reader.formatOptions(options, '=', ' '))];
}

export interface Vlan {
  /** Of `base-iface`. */
  readonly place: DocumentPlace;
  /** Name of an interface or a profile in the document. */
  readonly parent: string;
  /** Entries of the section without the parent. */
  readonly entries: ConvertedEntries;
}

const readVlanFields = reader.object(
  {
    'base-iface': reader.linkName,
    id: reader.integer(0, 4094),
    protocol: reader.vlanProtocol,
    'registration-protocol': reader.oneOf(['gvrp', 'mvrp', 'none']),
    'reorder-headers': reader.strictFlag,
    'loose-binding': reader.strictFlag,
  },
  ['base-iface', 'id'],
);

export const vlan = reader.mapped(readVlanFields, (fields, place): Vlan => {
  const entry = reader.entryMaker(fields, place);
  const {
    'loose-binding': isLoose,
    'registration-protocol': registration,
    'reorder-headers': reorders = true,
  } = fields;
  // NMVlanFlags of NetworkManager.
  const flags =
    (reorders ? 1 : 0) |
    (registration === 'gvrp' ? 2 : 0) |
    (isLoose ? 4 : 0) |
    (registration === 'mvrp' ? 8 : 0);
  return {
    place: step(place, 'base-iface'),
    parent: fields['base-iface'],
    entries: {
      id: entry('id'),
      flags: reader.entryAt(place, flags),
      protocol: entry('protocol'),
    },
  };
});
