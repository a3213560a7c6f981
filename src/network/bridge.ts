/** Linux bridges: the `bridge` of an interface, its options and the settings of its ports. */

import { isMapping, type Mapping } from '../formats/mapping.ts';
import type { ProfileEntries } from './connectionProfile.ts';
import { hasBoth, type DocumentPlace, refuse, step } from './documentPlace.ts';
import * as reader from './readers.ts';

export interface Bridge {
  /** Undefined if the document does not list ports. */
  readonly ports: readonly string[] | undefined;
  /** Entries of the `[bridge]` section. */
  readonly entries: ProfileEntries;
  /** Entries of the `[bridge-port]` section, by port. */
  readonly portEntries: ReadonlyMap<string, ProfileEntries>;
}

const multicastRouters = { '0': 'disabled', '1': 'auto', '2': 'enabled' } as const;

/** Keys that are equal in nmstate and NetworkManager. */
const sameKeyShape = {
  'group-forward-mask': reader.uint16,
  'multicast-last-member-count': reader.uint32,
  'multicast-last-member-interval': reader.uint64,
  'multicast-membership-interval': reader.uint64,
  'multicast-querier': reader.flag,
  'multicast-querier-interval': reader.uint64,
  'multicast-query-interval': reader.uint64,
  'multicast-query-response-interval': reader.uint64,
  'multicast-query-use-ifaddr': reader.flag,
  'multicast-router': multicastRouter,
  'multicast-snooping': reader.flag,
  'multicast-startup-query-count': reader.uint32,
  'multicast-startup-query-interval': reader.uint64,
  'vlan-default-pvid': reader.strictly(reader.integer(0, 4094)),
};

const stpShape = {
  enabled: reader.flag,
  'forward-delay': reader.integer(2, 30),
  'hello-time': reader.integer(1, 10),
  'max-age': reader.integer(6, 40),
  priority: reader.uint16,
};

const optionShape = {
  ...sameKeyShape,
  /** Timers of the kernel, which nmstate only shows. */
  'gc-timer': reader.strictly(reader.uint64),
  'hello-timer': reader.strictly(reader.uint64),
  'group-addr': groupAddress,
  'group-fwd-mask': reader.uint16,
  'hash-max': reader.uint32,
  'mac-ageing-time': reader.uint32,
  stp: reader.object(stpShape),
  'vlan-protocol': reader.vlanProtocol,
};

type Options = reader.Shaped<typeof optionShape>;

const vlanTag = reader.integer(1, 4094);

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

const ports = reader.list(reader.objectWith(portShape, ['name']));

const readBridgeFields = reader.object({
  /** Only used by nmstate to verify the applied state. */
  'allow-extra-ports': reader.strictFlag,
  options: reader.object(optionShape),
  port: ports,
  ports,
});

type PortFields = NonNullable<ReturnType<typeof ports>>[number];

function multicastRouter(value: unknown, place: DocumentPlace): string | undefined {
  // Not of objects: their own toString may be no function.
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  const word = typeof value === 'string' ? value.toLowerCase() : isScalar ? String(value) : value;
  const number = typeof value === 'number' ? value : undefined;
  return reader.oneOf(['auto', 'disabled', 'enabled'], number === undefined ? {} : multicastRouters)(
    word,
    place,
  );
}

function groupAddress(_value: unknown, place: DocumentPlace): undefined {
  const message = 'NetworkManager ignores a keyfile with the group address as nmstate writes it';
  return refuse(place, message, 'remove group-addr; bridges use 01:80:C2:00:00:00 without it');
}

/** First and last number. */
type TagRange = readonly [number, number];

const readId = reader.mapped(reader.objectWith({ id: vlanTag }, ['id']), ({ id }): TagRange => [id, id]);
const readRange = reader.objectWith(
  { 'id-range': reader.objectWith({ min: vlanTag, max: vlanTag }, ['min', 'max']) },
  ['id-range'],
);

function trunkTag(value: unknown, place: DocumentPlace): TagRange | undefined {
  if (isMapping(value) && Object.hasOwn(value, 'id')) {
    return readId(value, place);
  }
  const range = readRange(value, place)?.['id-range'];
  if (range === undefined) return undefined;
  const { min, max } = range;
  return min <= max ? [min, max] : refuse(step(place, 'id-range'), '"min" is greater than "max"');
}

export const bridge: reader.Reader<Bridge> = (value, place) => {
  const fields = readBridgeFields(value, place);
  if (fields === undefined || hasBoth(fields, 'port', 'ports', place)) return undefined;
  const key = fields.port === undefined ? 'ports' : 'port';
  const listed = fields.port ?? fields.ports;
  const filtersVlans = (listed ?? []).some(({ vlan = {} }) => Object.keys(vlan).length > 0);
  const { options = {} } = fields;
  checkOptions(options, filtersVlans, step(place, 'options'));
  for (const [index, port] of (listed ?? []).entries()) {
    checkPortVlan(port.vlan ?? {}, step(place, key, index, 'vlan'));
  }
  return {
    ports: listed?.map(({ name }) => name),
    entries: { ...optionEntries(options), 'vlan-filtering': listed && String(filtersVlans) },
    portEntries: new Map((listed ?? []).map((port) => [port.name, portSectionEntries(port)])),
  };
};

function checkOptions(options: Options, filtersVlans: boolean, place: DocumentPlace): void {
  const { 'group-forward-mask': mask, 'group-fwd-mask': sameMask, 'vlan-default-pvid': pvid } = options;
  if (mask !== undefined && sameMask !== undefined && mask !== sameMask) {
    refuse(step(place, 'group-fwd-mask'), 'the value differs from the equivalent key "group-forward-mask"');
  }
  if (pvid !== undefined && pvid !== 1 && !filtersVlans) {
    refuse(step(place, 'vlan-default-pvid'), 'requires VLAN filtering: a port with "vlan"');
  }
}

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

function optionEntries(options: Options): ProfileEntries {
  const { stp: { enabled, ...stp } = {} } = options;
  return {
    ...texts(sameKeyShape, options),
    'group-forward-mask': (options['group-fwd-mask'] ?? options['group-forward-mask'])?.toString(),
    'multicast-hash-max': options['hash-max']?.toString(),
    'ageing-time': options['mac-ageing-time']?.toString(),
    'vlan-protocol': options['vlan-protocol'],
    ...texts(stpShape, stp),
    stp: enabled?.toString(),
  };
}

/** Values of the keys of a shape, as strings. */
function texts(shape: reader.Shape, values: Mapping): ProfileEntries {
  const given = Object.keys(shape).filter((key) => values[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, String(values[key])]));
}

function portSectionEntries(port: PortFields): ProfileEntries {
  return {
    'hairpin-mode': port['stp-hairpin-mode']?.toString(),
    'path-cost': port['stp-path-cost']?.toString(),
    priority: port['stp-priority']?.toString(),
    vlans: port.vlan && formatPortVlans(port.vlan),
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
