/** The keyfiles to which documents of all network formats are converted: sorted keys, and lines that know where they come from. */

import { createHash } from 'node:crypto';
import type { FilePlace, Position } from '../core/errors.ts';
import type { Finding, Path } from '../core/finding.ts';
import { formatKeyfile } from '../formats/keyfile.ts';

/** The place of a line of a keyfile in a file of the user; of the whole keyfile without a line. */
export type LocateLine = (line: number | undefined) => FilePlace;

export interface Keyfile {
  /** File name, for example `eth0.nmconnection`. */
  readonly name: string;
  readonly text: string;
  /** Where its lines come from. */
  readonly locate?: LocateLine;
}

export interface ConvertedKeyfile extends Keyfile {
  /** The paths of the values in the document that the lines come from. The first one is that of the interface. */
  readonly lines: readonly Path[];
}

export interface KeyfileConversion {
  /** Empty if a finding is an error. */
  readonly keyfiles: readonly ConvertedKeyfile[];
  /** Errors, and warnings about values that are ignored or suspicious. Paths refer to the document. */
  readonly findings: readonly Finding[];
}

/** @param locate positions in the file of the document */
export function locateLines(
  { lines }: ConvertedKeyfile,
  file: string,
  locate: (path: Path) => Position | undefined,
): LocateLine {
  return (line = 1) => ({ file, ...locate(lines[line - 1] ?? []) });
}

/** The value of a key, and the path of the value in the document that it comes from. */
export interface ConvertedEntry {
  readonly value: string;
  readonly from: Path;
}

/** By key. Those that are undefined or have no text are left out. */
export type ConvertedEntries = Readonly<Record<string, ConvertedEntry | undefined>>;

export interface Section {
  readonly name: string;
  /** Undefined: the section is left out. */
  readonly entries: ConvertedEntries | undefined;
  readonly from: Path;
}

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

/** @param name without its suffix */
export function formatProfile(name: string, sections: readonly Section[]): ConvertedKeyfile {
  const written = sections.flatMap(({ name: section, entries, from }) => {
    const list = Object.entries(entries ?? {})
      .flatMap(([key, entry]) => (entry === undefined || entry.value === '' ? [] : [{ key, ...entry }]))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const isLeftOut = entries === undefined || (list.length === 0 && neverEmpty.has(section));
    return isLeftOut ? [] : [{ name: section, entries: list, from }];
  });
  return {
    name: `${name}.nmconnection`,
    text: formatKeyfile(written),
    lines: written.flatMap(({ entries, from }) => [from, ...entries.map((entry) => entry.from), from]),
  };
}

/** Sections that are left out without entries. */
const neverEmpty: ReadonlySet<string> = new Set(['bond-port', 'ethernet']);

/** The same document always gives the same profiles: UUID version 5 of a URL like `ethernet://eth0`. */
export function profileUuid(url: string): string {
  const digest = createHash('sha1').update(urlNamespace).update(url).digest().subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** RFC 9562, section 6.6. */
const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');
