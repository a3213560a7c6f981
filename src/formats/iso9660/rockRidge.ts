/**
 * Rock Ridge (RRIP 1991A) over SUSP (IEEE P1281): names, modes and times of POSIX in the tail of directory records. Reads
 * names only, and only those that fit into a record. Leaves out symbolic links, devices, relocated deep directories, and SUSP's skip
 * length, which only CD-ROM XA uses.
 */

import { putBoth32, shortDate, viewOf } from './fields.ts';

/** A piece of system use area elsewhere in the image. */
interface Continuation {
  readonly sector: number;
  readonly offset: number;
  readonly length: number;
}

/** What the system use area of a record says. */
interface SystemUse {
  /** The alternate name; undefined where none is here, or only a part of it. */
  readonly name: string | undefined;
  /** POSIX attributes are here, so the image uses Rock Ridge. */
  readonly hasAttributes: boolean;
}

const NAME_FLAG = { continues: 1, current: 2, parent: 4 } as const;

/** Reads as far as the entries make sense; a damaged tail counts as no tail, since the primary names remain. */
export function readSystemUse(bytes: Uint8Array): SystemUse {
  const pieces: Uint8Array[] = [];
  let flags = 0;
  let hasAttributes = false;
  for (const { signature, body } of entriesOf(bytes)) {
    if (signature === 'PX') hasAttributes = true;
    if (signature !== 'NM') continue;
    flags = body[0] ?? 0;
    if ((flags & (NAME_FLAG.current | NAME_FLAG.parent)) === 0) pieces.push(body.subarray(1));
  }
  const name = Buffer.concat(pieces).toString('utf8');
  const isWhole = name !== '' && (flags & NAME_FLAG.continues) === 0;
  return { name: isWhole ? name : undefined, hasAttributes };
}

function* entriesOf(bytes: Uint8Array): Generator<{ signature: string; body: Uint8Array }> {
  let offset = 0;
  while (offset + 4 <= bytes.length) {
    const length = bytes[offset + 2] ?? 0;
    const signature = String.fromCharCode(bytes[offset] ?? 0, bytes[offset + 1] ?? 0);
    if (length < 4 || offset + length > bytes.length || signature === 'ST') return;
    yield { signature, body: bytes.subarray(offset + 4, offset + length) };
    offset += length;
  }
}

/** POSIX attributes of the file or directory of a record. */
interface Attributes {
  readonly mode: number;
  readonly links: number;
  readonly date: Date;
}

/** Marks the use of SUSP; first entry of the root's record of itself. */
export function writeSharingProtocol(): Uint8Array {
  return entry('SP', [0xbe, 0xef, 0]);
}

/** Names the extension; belongs to the root's record of itself and is too long for it. */
export function writeExtensionReference(): Uint8Array {
  const texts = [
    'RRIP_1991A',
    'THE ROCK RIDGE INTERCHANGE PROTOCOL PROVIDES SUPPORT FOR POSIX FILE SYSTEM SEMANTICS',
    'PLEASE CONTACT DISC PUBLISHER FOR SPECIFICATION SOURCE.  SEE PUBLISHER IDENTIFIER IN PRIMARY VOLUME ' +
      'DESCRIPTOR FOR CONTACT INFORMATION.',
  ];
  return entry('ER', [...texts.map((text) => text.length), 1, ...Buffer.from(texts.join(''), 'latin1')]);
}

/** RR, PX and TF entries: which entries follow, mode and links, times. Owner and group are root. */
export function writeAttributes(
  { mode, links, date }: Attributes,
  hasName: 'named' | 'nameless',
): Uint8Array {
  const present = 0x81 | (hasName === 'named' ? 0x08 : 0);
  const posix = new Uint8Array(32);
  putBoth32(viewOf(posix), 0, mode);
  putBoth32(viewOf(posix), 8, links);
  const time = shortDate(date);
  const times = [0x0e, ...time, ...time, ...time];
  return Uint8Array.from([...entry('RR', [present]), ...entry('PX', posix), ...entry('TF', times)]);
}

/** The NM entry of a name of at most 250 bytes. */
export function writeName(name: Uint8Array): Uint8Array {
  return entry('NM', [0, ...name]);
}

/** Says where the rest of a system use area is. */
export function writeContinuation(place: Continuation): Uint8Array {
  const body = new Uint8Array(24);
  putBoth32(viewOf(body), 0, place.sector);
  putBoth32(viewOf(body), 8, place.offset);
  putBoth32(viewOf(body), 16, place.length);
  return entry('CE', body);
}

function entry(signature: string, body: Iterable<number>): Uint8Array {
  const content = [...body];
  return Uint8Array.from([...Buffer.from(signature, 'latin1'), content.length + 4, 1, ...content]);
}
