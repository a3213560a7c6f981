/** Linux bridges: the `bridge` of an interface, its options and the settings of its ports. */

import type { Controller, Port } from './bond.ts';
import type { ConvertedEntries } from './convertedKeyfile.ts';
import { hasBoth, type DocumentPlace, refuse, step } from './documentPlace.ts';
import * as reader from './readers.ts';

/** Timers of the kernel, which nmstate only shows. */
const shownTimer = [reader.strictly(reader.uint64), ''] as const;

const optionRows = {
  'gc-timer': shownTimer,
  'hello-timer': shownTimer,
  'group-addr': groupAddress,
  'group-forward-mask': reader.uint16,
  'group-fwd-mask': [reader.uint16, 'group-forward-mask'],
  'hash-max': [reader.uint32, 'multicast-hash-max'],
  'mac-ageing-time': [reader.uint32, 'ageing-time'],
  'multicast-last-member-count': reader.uint32,
  'multicast-last-member-interval': reader.uint64,
  'multicast-membership-interval': reader.uint64,
  'multicast-querier': reader.flag,
  'multicast-querier-interval': reader.uint64,
  'multicast-query-interval': reader.uint64,
  'multicast-query-response-interval': reader.uint64,
  'multicast-query-use-ifaddr': reader.flag,
  'multicast-router': reader.present(multicastRouter),
  'multicast-snooping': reader.flag,
  'multicast-startup-query-count': reader.uint32,
  'multicast-startup-query-interval': reader.uint64,
  stp: {
    enabled: [reader.flag, 'stp'],
    'forward-delay': reader.integer(2, 30),
    'hello-time': reader.integer(1, 10),
    'max-age': reader.integer(6, 40),
    priority: reader.uint16,
  },
  'vlan-default-pvid': reader.strictly(reader.integer(0, 4094)),
  'vlan-protocol': reader.vlanProtocol,
} satisfies reader.Rows;

const vlanTag = reader.integer(1, 4094);

type TagRange = readonly [number, number];

const readTrunkTag = reader.object({
  id: vlanTag,
  'id-range': reader.object({ min: vlanTag, max: vlanTag }, ['min', 'max']),
});

const trunkTag = reader.mapped(readTrunkTag, (fields, place): TagRange | undefined => {
  const { id, 'id-range': range } = fields;
  if (hasBoth(fields, 'id', 'id-range', place)) return undefined;
  if ('id' in fields) return id === undefined ? undefined : [id, id];
  if (!('id-range' in fields)) return refuse(place, '"id-range" is missing');
  if (range === undefined) return undefined;
  const { min, max } = range;
  return min <= max ? [min, max] : refuse(step(place, 'id-range'), '"min" is greater than "max"');
});

const portVlanShape = {
  'enable-native': reader.flag,
  mode: reader.oneOf(['access', 'trunk']),
  tag: vlanTag,
  'trunk-tags': reader.list(trunkTag),
};

type PortVlan = reader.Shaped<typeof portVlanShape>;

const portShape = {
  name: reader.linkName,
  'stp-hairpin-mode': reader.flag,
  'stp-path-cost': reader.uint32,
  'stp-priority': reader.uint16,
  vlan: reader.object(portVlanShape),
};

type PortFields = reader.Shaped<typeof portShape> & Port;

const readPort = reader.object(portShape, ['name']);
const ports = reader.list(reader.placed(readPort));

const readBridgeFields = reader.object({
  /** Only used by nmstate to verify the applied state. */
  'allow-extra-ports': reader.strictFlag,
  options: reader.section(optionRows),
  port: ports,
  ports,
});

const routerWord = reader.numbered(['disabled', 'auto', 'enabled']);

/** In any case. */
function multicastRouter(value: unknown, place: DocumentPlace): string | undefined {
  return routerWord(typeof value === 'string' ? value.toLowerCase() : value, place);
}

function groupAddress(_value: unknown, place: DocumentPlace): undefined {
  const message = 'NetworkManager ignores a keyfile with the group address as nmstate writes it';
  return refuse(place, message, 'remove group-addr; bridges use 01:80:C2:00:00:00 without it');
}

export const bridge = reader.mapped(readBridgeFields, (fields, place): Controller | undefined => {
  if (hasBoth(fields, 'port', 'ports', place)) return undefined;
  const { options = {} } = fields;
  const listed = fields.port ?? fields.ports;
  const filtersVlans = (listed ?? []).some(({ vlan = {} }) => Object.keys(vlan).length > 0);
  const pvid = options['vlan-default-pvid'];
  if (pvid !== undefined && pvid.value !== '1' && !filtersVlans) {
    refuse({ ...place, path: pvid.from }, 'requires VLAN filtering: a port with "vlan"');
  }
  for (const port of listed ?? []) checkPortVlan(port.vlan ?? {}, step(port.place, 'vlan'));
  return {
    ports: listed,
    entries: { ...options, 'vlan-filtering': listed && reader.entryAt(place, filtersVlans) },
    portEntries: new Map(listed?.map((port) => [port.name, portSectionEntries(port)])),
  };
});

/** Checks combinations that nmstate refuses, and repeated tags, of which NetworkManager uses only one. */
function checkPortVlan(vlan: PortVlan, place: DocumentPlace): void {
  const { mode, tag, 'enable-native': native, 'trunk-tags': tags } = vlan;
  if (mode === 'trunk' && tag !== undefined && native !== true) {
    refuse(step(place, 'tag'), 'requires enable-native: true in trunk mode');
  }
  if (mode === 'access' && native === true) {
    refuse(step(place, 'enable-native'), 'not supported in access mode');
  }
  if (mode === 'access' && (tags ?? []).length > 0) {
    refuse(step(place, 'trunk-tags'), 'not supported in access mode');
  }
  if (mode === 'trunk' && tags === undefined) refuse(place, 'trunk mode requires trunk-tags');
  const sorted = (tags ?? []).toSorted(([a], [b]) => a - b);
  const overlaps = sorted.some(([min], index) => min <= (sorted[index - 1]?.[1] ?? 0));
  const repeated = tag !== undefined && sorted.some(([min, max]) => min <= tag && tag <= max);
  if (overlaps || repeated) refuse(step(place, 'trunk-tags'), 'duplicate tag');
}

function portSectionEntries({ place, ...port }: PortFields): ConvertedEntries {
  const entry = reader.entryMaker(port, place);
  return {
    'hairpin-mode': entry('stp-hairpin-mode'),
    'path-cost': entry('stp-path-cost'),
    priority: entry('stp-priority'),
    vlans: entry('vlan', port.vlan && formatPortVlans(port.vlan)),
  };
}

/** Empty without a mode. The tag of the port is the VLAN of untagged frames. */
function formatPortVlans({ mode, tag, 'trunk-tags': tags = [] }: PortVlan): string {
  if (mode === undefined) return '';
  const trunk = mode === 'trunk' ? tags : [];
  const own: readonly TagRange[] = tag === undefined ? [] : [[tag, tag]];
  return [...trunk, ...own]
    .toSorted(([a], [b]) => a - b)
    .map(
      ([min, max]) => (min === max ? String(min) : `${min}-${max}`) + (min === tag ? ' pvid untagged' : ''),
    )
    .join(',');
}
