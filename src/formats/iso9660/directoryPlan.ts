/**
 * One tree of directories of an image to write: first the sizes, which follow from the names alone, then, once all places
 * are known, the bytes. Rock Ridge goes into the primary tree; what does not fit into a record goes to sectors behind it.
 */

import { FormatError } from '../../core/errors.ts';
import type { Extent, NameEncoding } from './descriptors.ts';
import {
  CONTINUATION_LENGTH,
  MAX_RECORD,
  PARENT,
  partCount,
  partOf,
  placeRecords,
  recordLength,
  SELF,
  writeAttributes,
  writeContinuation,
  writeDirectoryRecord,
  writeExtensionReference,
  writeName,
  writeSharingProtocol,
} from './directory.ts';
import { SECTOR, viewOf } from './fields.ts';
import { type DirectoryNode, type FileSpec, isDirectory, kindOf, naming } from './tree.ts';

/** What is known once every part of the image has its place. */
interface Places {
  /** First sector of this tree. */
  readonly base: number;
  /** Of the files, by path. */
  readonly extents: ReadonlyMap<string, Extent>;
  readonly date: Date;
}

export interface DirectoryPlan {
  /** Bytes of all directories and continuation areas; whole sectors. */
  readonly size: number;
  readonly pathTableSize: number;
  extentOf(directory: DirectoryNode, base: number): Extent;
  pathTable(base: number): PathTableEntry[];
  write(places: Places): Uint8Array;
}

/** The record of `node` in `directory`, which is itself, its parent or a child of it. */
interface PlannedRecord {
  readonly node: DirectoryNode | FileSpec;
  readonly identifier: Uint8Array;
  readonly tail: Tail;
  /** Which stretch of a large file it names. */
  readonly part: number;
}

/** A system use area; dates, the only part that is not known yet, have a fixed length. */
interface Tail {
  readonly write: (date: Date) => { readonly inline: Uint8Array; readonly overflow: Uint8Array };
  readonly inlineLength: number;
  /** Where the overflow starts within the continuation areas, where there is any. */
  readonly overflowAt: number | undefined;
}

interface PlannedDirectory {
  readonly node: DirectoryNode;
  readonly identifier: Uint8Array;
  readonly records: readonly PlannedRecord[];
  readonly recordOffsets: readonly number[];
  /** Bytes from the start of the tree. */
  readonly start: number;
  readonly size: number;
}

const MAX_DIRECTORIES = 0xffff;
const MODE = { file: 0o100444, directory: 0o040555 } as const;
const NO_TAIL: Tail = {
  write: () => ({ inline: new Uint8Array(), overflow: new Uint8Array() }),
  inlineLength: 0,
  overflowAt: undefined,
};

/** @throws FormatError for more directories than a path table can number */
export function planDirectories(root: DirectoryNode, names: NameEncoding): DirectoryPlan {
  const overflow = continuationAllocator();
  const directories: PlannedDirectory[] = [];
  let end = 0;
  for (const { node, identifier, children } of directoriesByLevel(root, names)) {
    const records = planRecords(node, children, names === 'primary' ? overflow.allocate : undefined);
    const lengths = records.map((record) => recordLength(record.identifier.length, tailLength(record.tail)));
    const { offsets, size } = placeRecords(lengths);
    directories.push({ node, identifier, records, recordOffsets: offsets, start: end, size });
    end += size;
  }
  const byNode = new Map(directories.map((directory, index) => [directory.node, { ...directory, index }]));
  const extentOf = (node: DirectoryNode, base: number): Extent => {
    const planned = byNode.get(node);
    return planned === undefined
      ? { sector: base, size: 0 }
      : { sector: base + planned.start / SECTOR, size: planned.size };
  };
  return {
    size: end + overflow.size(),
    pathTableSize: pathTableSize(directories.map(({ identifier }) => identifier.length)),
    extentOf,
    pathTable: (base) =>
      directories.map(({ node, identifier }) => ({
        identifier,
        sector: extentOf(node, base).sector,
        parent: (byNode.get(node.parent ?? node)?.index ?? 0) + 1,
      })),
    write: (places) => writeTree({ directories, end, size: end + overflow.size(), extentOf }, places),
  };
}

interface NamedDirectory {
  readonly node: DirectoryNode;
  readonly identifier: Uint8Array;
  readonly children: readonly NamedChild[];
}

interface NamedChild {
  readonly name: string;
  readonly identifier: Uint8Array;
  readonly node: DirectoryNode | FileSpec;
}

/** Breadth first, children in the order of their identifiers: the order that path tables demand. */
function directoriesByLevel(root: DirectoryNode, names: NameEncoding): NamedDirectory[] {
  const directories: NamedDirectory[] = [
    { node: root, identifier: SELF, children: namedChildren(root, names) },
  ];
  for (const { children } of directories) {
    for (const { node, identifier } of children) {
      if (!isDirectory(node)) continue;
      directories.push({ node, identifier, children: namedChildren(node, names) });
    }
    if (directories.length > MAX_DIRECTORIES) {
      throw new FormatError(`more than ${MAX_DIRECTORIES} directories do not fit on an ISO 9660 image`);
    }
  }
  return directories;
}

function namedChildren({ children }: DirectoryNode, names: NameEncoding): NamedChild[] {
  const { identifiers, compare, encode } = naming[names];
  const texts = identifiers(new Map([...children].map(([name, node]) => [name, kindOf(node)])));
  return [...children]
    .map(([name, node]) => ({ name, node, text: texts.get(name) ?? name }))
    .toSorted((a, b) => compare(a.text, b.text))
    .map(({ name, node, text }) => ({ name, node, identifier: encode(text) }));
}

/** Without `allocate` the records get no Rock Ridge. */
function planRecords(
  directory: DirectoryNode,
  children: readonly NamedChild[],
  allocate: ((length: number) => number) | undefined,
): PlannedRecord[] {
  const tail = (node: DirectoryNode | FileSpec, role: Role): Tail =>
    allocate === undefined ? NO_TAIL : planTail(node, role, allocate);
  const parent = directory.parent ?? directory;
  const self: Role = directory.parent === undefined ? { is: 'root' } : { is: 'self' };
  return [
    { node: directory, identifier: SELF, tail: tail(directory, self), part: 0 },
    { node: parent, identifier: PARENT, tail: tail(parent, { is: 'self' }), part: 0 },
    ...children.flatMap(({ name, node, identifier }) =>
      Array.from({ length: isDirectory(node) ? 1 : partCount(node.size) }, (_, part) => ({
        node,
        identifier,
        tail: tail(node, { is: 'child', name, identifierLength: identifier.length }),
        part,
      })),
    ),
  ];
}

/** The role of a record decides which entries its tail contains. */
type Role =
  | { readonly is: 'root' }
  | { readonly is: 'self' }
  | { readonly is: 'child'; readonly name: string; readonly identifierLength: number };

function planTail(node: DirectoryNode | FileSpec, role: Role, allocate: (length: number) => number): Tail {
  const name = role.is === 'child' ? writeName(Buffer.from(role.name)) : new Uint8Array();
  const attributes = (date: Date): Uint8Array =>
    writeAttributes({ ...modeAndLinks(node), date }, role.is === 'child' ? 'named' : 'nameless');
  const before = role.is === 'root' ? writeSharingProtocol() : new Uint8Array();
  const own = before.length + attributes(new Date(0)).length;
  const room = MAX_RECORD - recordLength(role.is === 'child' ? role.identifierLength : 1, 0);
  const nameFits = own + name.length <= room;
  const overflow = role.is === 'root' ? writeExtensionReference() : nameFits ? new Uint8Array() : name;
  const inlineName = nameFits ? name : new Uint8Array();
  return {
    write: (date) => ({ inline: join([before, attributes(date), inlineName]), overflow }),
    inlineLength: own + inlineName.length,
    overflowAt: overflow.length > 0 ? allocate(overflow.length) : undefined,
  };
}

function modeAndLinks(node: DirectoryNode | FileSpec): { mode: number; links: number } {
  if (!isDirectory(node)) return { mode: MODE.file, links: 1 };
  return { mode: MODE.directory, links: 2 + node.subdirectories };
}

function tailLength({ inlineLength, overflowAt }: Tail): number {
  return inlineLength + (overflowAt === undefined ? 0 : CONTINUATION_LENGTH);
}

/** Continuation areas, one behind the other; none crosses the end of a sector, which not every reader can follow. */
function continuationAllocator(): { allocate: (length: number) => number; size: () => number } {
  let end = 0;
  return {
    allocate: (length) => {
      const start = (end % SECTOR) + length > SECTOR ? Math.ceil(end / SECTOR) * SECTOR : end;
      end = start + length;
      return start;
    },
    size: () => Math.ceil(end / SECTOR) * SECTOR,
  };
}

interface PlannedTree {
  readonly directories: readonly PlannedDirectory[];
  /** Where the continuation areas start. */
  readonly end: number;
  readonly size: number;
  readonly extentOf: DirectoryPlan['extentOf'];
}

function writeTree({ directories, end, size, extentOf }: PlannedTree, places: Places): Uint8Array {
  const bytes = new Uint8Array(size);
  for (const { records, recordOffsets, start } of directories) {
    records.forEach(({ node, identifier, tail, part }, index) => {
      const extent = isDirectory(node) ? extentOf(node, places.base) : places.extents.get(node.path);
      const { inline, overflow } = tail.write(places.date);
      const overflowAt = tail.overflowAt === undefined ? undefined : end + tail.overflowAt;
      if (overflowAt !== undefined) bytes.set(overflow, overflowAt);
      const record = writeDirectoryRecord({
        ...partOf(extent ?? { sector: 0, size: 0 }, part),
        identifier,
        isDirectory: isDirectory(node),
        date: places.date,
        systemUse: join([inline, ...continuationEntry(places.base, overflowAt, overflow.length)]),
      });
      bytes.set(record, start + (recordOffsets[index] ?? 0));
    });
  }
  return bytes;
}

function continuationEntry(base: number, overflowAt: number | undefined, length: number): Uint8Array[] {
  if (overflowAt === undefined) return [];
  const sector = base + Math.floor(overflowAt / SECTOR);
  return [writeContinuation({ sector, offset: overflowAt % SECTOR, length })];
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

// Path tables (ECMA-119, section 9.4): all directories in one list. Written because the standard wants them; never read.

/** A directory of the path table; `parent` counts from 1, and the root is its own parent. */
interface PathTableEntry {
  readonly identifier: Uint8Array;
  readonly sector: number;
  readonly parent: number;
}

type ByteOrder = 'little' | 'big';

/** Bytes that the table takes for directories with identifiers of these lengths. */
function pathTableSize(identifierLengths: readonly number[]): number {
  return identifierLengths.reduce((sum, length) => sum + entryLength(length), 0);
}

/** `entries` are ordered by level, then by parent, then by identifier. */
export function writePathTable(entries: readonly PathTableEntry[], order: ByteOrder): Uint8Array {
  const bytes = new Uint8Array(pathTableSize(entries.map(({ identifier }) => identifier.length)));
  const view = viewOf(bytes);
  let offset = 0;
  for (const { identifier, sector, parent } of entries) {
    view.setUint8(offset, identifier.length);
    view.setUint32(offset + 2, sector, order === 'little');
    view.setUint16(offset + 6, parent, order === 'little');
    bytes.set(identifier, offset + 8);
    offset += entryLength(identifier.length);
  }
  return bytes;
}

function entryLength(identifierLength: number): number {
  return 8 + identifierLength + (identifierLength & 1);
}
