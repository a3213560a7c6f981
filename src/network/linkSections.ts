/**
 * What a section of an interface says about its link: Ethernet with its virtual functions (SR-IOV), and the links on top of
 * another one: VLAN, MAC VLAN, MAC VTAP and InfiniBand.
 */

import type { ConvertedEntries, ConvertedEntry } from './convertedKeyfile.ts';
import { type DocumentPlace, hasBoth, refuse, step } from './documentPlace.ts';
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
  'iface-name': reader.textOrEmpty,
  'mac-address': reader.macAddress,
  'spoof-check': reader.flag,
  trust: reader.flag,
  'min-tx-rate': reader.uint32,
  'max-tx-rate': reader.uint32,
  'vlan-id': reader.uint32,
  'vlan-proto': reader.oneOf(['802.1q', '802.1ad']),
  qos: reader.uint32,
};

const readVirtualFunctionFields = reader.objectWith(virtualFunctionShape, ['id']);

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
export const ethernet: reader.Reader<Ethernet> = (value, place) => {
  const fields = readEthernetFields(value, place);
  if (fields === undefined) return undefined;
  const entry = reader.entryMaker(fields, place);
  const isFixed = fields['auto-negotiation'] === false;
  const { 'sr-iov': virtual } = fields;
  const at = step(place, 'sr-iov');
  const ofVirtual = reader.entryMaker(virtual ?? {}, at);
  const functions = virtual?.vfs ?? [];
  const byKey = new Map(functions.map(([key, line]) => [key, line]));
  if (byKey.size < functions.length) refuse(step(at, 'vfs'), 'two virtual functions have the same id');
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
            ...Object.fromEntries(byKey),
          },
  };
};

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
  const vlan = id === undefined ? undefined : `${id}.${qos}.${protocol.slice('802.1'.length)}`;
  const options = [
    ['mac', fields['mac-address']],
    ['spoof-check', fields['spoof-check']],
    ['trust', fields.trust],
    ['min-tx-rate', fields['min-tx-rate']],
    ['max-tx-rate', fields['max-tx-rate']],
    ['vlans', vlan],
  ] as const;
  return [`vf.${fields.id}`, reader.entryAt(place, reader.formatOptions(options, '=', ' '))];
}

/** A link on top of another one. */
export interface Stacked {
  /** Of the keyfile. */
  readonly section: 'vlan' | 'macvlan' | 'infiniband';
  /** Of `base-iface`. */
  readonly place: DocumentPlace;
  /** Name of an interface or a profile in the document. Only InfiniBand may have none. */
  readonly parent: string | undefined;
  /** Entries of the section without the parent. */
  readonly entries: ConvertedEntries;
}

/** A reader of a link on top of another one. @param entriesOf the entries of its section, without the parent */
function stacked<F extends { readonly 'base-iface'?: string | undefined }>(
  section: Stacked['section'],
  read: reader.Reader<F>,
  entriesOf: (fields: F, place: DocumentPlace) => ConvertedEntries | undefined,
): reader.Reader<Stacked> {
  return (value, place) => {
    const fields = read(value, place);
    const entries = fields && entriesOf(fields, place);
    return entries && { section, place: step(place, 'base-iface'), parent: fields['base-iface'], entries };
  };
}

/** Priorities in a VLAN header. */
const headerPriority = reader.integer(0, 7);

const vlanShape = {
  'base-iface': reader.linkName,
  id: reader.integer(0, 4094),
  protocol: reader.vlanProtocol,
  'registration-protocol': reader.oneOf(['gvrp', 'mvrp', 'none']),
  'reorder-headers': reader.strictFlag,
  'loose-binding': reader.strictFlag,
  'ingress-qos-map': qosMap(headerPriority, reader.uint32),
  'egress-qos-map': qosMap(reader.uint32, headerPriority),
};

const readVlanFields = reader.objectWith(vlanShape, ['base-iface', 'id']);

export const vlan = stacked('vlan', readVlanFields, (fields, place) => {
  const entry = reader.entryMaker(fields, place);
  return {
    id: entry('id'),
    flags: entry('flags', vlanFlags(fields)),
    protocol: entry('protocol'),
    'ingress-priority-map': entry('ingress-qos-map'),
    'egress-priority-map': entry('egress-qos-map'),
  };
});

/** `NMVlanFlags` of NetworkManager. */
function vlanFlags(fields: reader.Shaped<typeof vlanShape>): number {
  const reorderHeaders = (fields['reorder-headers'] ?? true) ? 1 : 0;
  const gvrp = fields['registration-protocol'] === 'gvrp' ? 2 : 0;
  const looseBinding = fields['loose-binding'] === true ? 4 : 0;
  const mvrp = fields['registration-protocol'] === 'mvrp' ? 8 : 0;
  return reorderHeaders | gvrp | looseBinding | mvrp;
}

function qosMap(from: reader.Reader<number>, to: reader.Reader<number>): reader.Reader<string> {
  return reader.mapped(reader.list(reader.objectWith({ from, to }, ['from', 'to'])), (map) =>
    map
      .toSorted((a, b) => a.from - b.from || a.to - b.to)
      .map((item) => `${item.from}:${item.to}`)
      .join(';'),
  );
}

/** In the order of `NMSettingMacvlanMode` of NetworkManager. */
const macVlanModes = ['unknown', 'vepa', 'bridge', 'private', 'passthru', 'source'] as const;

const readMacVlanFields = reader.objectWith(
  {
    'base-iface': reader.linkName,
    mode: reader.oneOf(macVlanModes),
    promiscuous: reader.flag,
    'accept-all-mac': reader.flag,
  },
  ['base-iface', 'mode'],
);

/** @param isTap a MAC VTAP */
const macVlanReader = (isTap: boolean): reader.Reader<Stacked> =>
  stacked('macvlan', readMacVlanFields, (fields, place) => {
    if (hasBoth(fields, 'promiscuous', 'accept-all-mac', place)) return undefined;
    const { mode, promiscuous = fields['accept-all-mac'] } = fields;
    if (promiscuous === false && mode !== 'passthru') {
      refuse(place, 'promiscuous: false requires mode passthru', 'remove promiscuous');
    }
    const entry = reader.entryMaker(fields, place);
    return {
      mode: entry('mode', macVlanModes.indexOf(mode)),
      promiscuous: entry('promiscuous', promiscuous),
      tap: reader.entryAt(place, isTap),
    };
  });

export const macVlan = macVlanReader(false);
export const macVtap = macVlanReader(true);

const readInfinibandFields = reader.objectWith(
  {
    'base-iface': reader.linkName,
    mode: reader.oneOf(['datagram', 'connected']),
    pkey: reader.uint16,
  },
  ['mode', 'pkey'],
);

/** The partition that every InfiniBand link is in, for which NetworkManager has no key. */
const DEFAULT_PARTITION = 0xffff;

export const infiniband = stacked('infiniband', readInfinibandFields, (fields, place) => {
  const entry = reader.entryMaker(fields, place);
  return {
    'p-key': fields.pkey === DEFAULT_PARTITION ? undefined : entry('pkey'),
    'transport-mode': entry('mode'),
  };
});
