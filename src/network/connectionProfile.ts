/** What the keyfiles of all network formats have in common: sections with sorted keys, and UUIDs that stay the same. */

import { createHash } from 'node:crypto';
import { formatKeyfile } from '../formats/keyfile.ts';

/** Entries without a value are left out. */
export type ProfileEntries = Readonly<Record<string, string | undefined>>;

/** NetworkManager's names of connection types. */
export const connectionTypes = {
  ethernet: '802-3-ethernet',
  vlan: 'vlan',
  bond: 'bond',
  'linux-bridge': 'bridge',
  dummy: 'dummy',
  veth: 'veth',
  loopback: 'loopback',
} as const;

/** The keyfile of sections by their names, with sorted keys. Sections that are undefined are left out. */
export function formatProfile(sections: Readonly<Record<string, ProfileEntries | undefined>>): string {
  return formatKeyfile(
    Object.entries(sections).flatMap(([name, entries = {}]) => {
      const keys = Object.keys(entries).filter((key) => (entries[key] ?? '') !== '');
      if (sections[name] === undefined || (keys.length === 0 && neverEmpty.has(name))) return [];
      return [{ name, entries: keys.toSorted().map((key) => ({ key, value: entries[key] ?? '' })) }];
    }),
  );
}

/** Sections that are left out without entries. */
const neverEmpty: ReadonlySet<string> = new Set(['bond-port', 'ethernet']);

/** The same document always gives the same profiles: UUID version 5 of a URL like `ethernet://eth0`. */
export function profileUuid(url: string): string {
  const uuid = known.get(url) ?? hashUuid(url);
  if (known.size < MOST_KNOWN) known.set(url, uuid);
  return uuid;
}

/** Most hosts of an inventory have interfaces of the same names, and a hash takes as long as the rest of a profile. */
const known = new Map<string, string>();
const MOST_KNOWN = 1000;

function hashUuid(url: string): string {
  const digest = createHash('sha1').update(urlNamespace).update(url).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** RFC 9562, section 6.6. */
const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');
