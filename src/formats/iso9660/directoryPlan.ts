/**
 * The tree of directories of an image to write: first the sizes, which follow from the names alone, then, once all places
 * are known, the bytes. What of Rock Ridge does not fit into a record goes to sectors behind the tree.
 */

import { append } from '../../core/lists.ts';
import type { Extent } from './descriptors.ts';
import {
  MAX_RECORD,
  PARENT,
  partCount,
  partOf,
  placeRecords,
  recordLength,
  SELF,
  writeDirectoryRecord,
} from './directory.ts';
import {
  CONTINUATION_LENGTH,
  writeAttributes,
  writeContinuation,
  writeExtensionReference,
  writeName,
  writeSharingProtocol,
} from './rockRidge.ts';
import { encodeLatin1, SECTOR, viewOf } from './fields.ts';
import {
  type DirectoryNode,
  type FileSpec,
  comparePrimary,
  isDirectory,
  kindOf,
  primaryIdentifiers,
} from './tree.ts';

const MODE = { file: 0o100444, directory: 0o040555 } as const;

/** The record of `node` in `directory`, which is itself, its parent or a child of it. */
interface PlannedRecord {
  readonly node: DirectoryNode | FileSpec;
  readonly identifier: Uint8Array;
  readonly tail: Tail;
  /** Which stretch of a large file it names. */
  readonly part: number;
}

/** A system use area: what is in the record, and what is in the continuation areas. */
interface Tail {
  readonly inline: Uint8Array;
  readonly overflow: Uint8Array;
}

interface PlannedDirectory {
  readonly node: DirectoryNode;
  readonly identifier: Uint8Array;
  readonly records: readonly PlannedRecord[];
  readonly recordOffsets: readonly number[];
  /** Bytes from the start of the tree. */
  readonly start: number;
  readonly size: number;
  /** In the path table, from 1. */
  readonly number: number;
}

export class DirectoryPlan {
  /** Bytes of all directories and continuation areas; whole sectors. */
  readonly size: number;
  readonly pathTableSize: number;
  readonly #date: Date;
  /** In the order of the path table. */
  readonly #directories = new Map<DirectoryNode, PlannedDirectory>();
  /** Where each overflow is. */
  readonly #overflowOffsets: readonly number[];

  constructor(root: DirectoryNode, date: Date) {
    this.#date = date;
    const tails: Tail[] = [];
    let end = 0;
    for (const { node, identifier, children } of directoriesByLevel(root)) {
      const records = planRecords(node, children, date);
      append(
        tails,
        records.map(({ tail }) => tail),
      );
      const lengths = records.map((record) =>
        recordLength(
          record.identifier.length,
          record.tail.inline.length + (record.tail.overflow.length > 0 ? CONTINUATION_LENGTH : 0),
        ),
      );
      const { offsets, size } = placeRecords(lengths);
      const number = this.#directories.size + 1;
      const planned = { node, identifier, records, recordOffsets: offsets, start: end, size, number };
      this.#directories.set(node, planned);
      end += size;
    }
    // Continuation areas follow the directories; none crosses the end of a sector, which not every reader can follow.
    const overflows = placeRecords(
      tails.map(({ overflow }) => overflow.length).filter((length) => length > 0),
    );
    this.size = end + overflows.size;
    this.#overflowOffsets = overflows.offsets.map((offset) => end + offset);
    this.pathTableSize = pathTableSize(
      Array.from(this.#directories.values(), (one) => one.identifier.length),
    );
  }

  /** `base` is the first sector of the tree. */
  extentOf(directory: DirectoryNode, base: number): Extent {
    const { start = 0, size = 0 } = this.#directories.get(directory) ?? {};
    return { sector: base + start / SECTOR, size };
  }

  pathTable(base: number): PathTableEntry[] {
    return Array.from(this.#directories.values(), ({ node, identifier }) => ({
      identifier,
      sector: this.extentOf(node, base).sector,
      parent: this.#directories.get(node.parent ?? node)?.number ?? 1,
    }));
  }

  /** `extents` are those of the files, by path. */
  write(base: number, extents: ReadonlyMap<string, Extent>): Uint8Array {
    const bytes = new Uint8Array(this.size);
    const overflowOffsets = this.#overflowOffsets.values();
    for (const { records, recordOffsets, start } of this.#directories.values()) {
      for (const [index, { node, identifier, tail, part }] of records.entries()) {
        const extent = isDirectory(node) ? this.extentOf(node, base) : extents.get(node.path);
        const systemUse = [tail.inline];
        if (tail.overflow.length > 0) {
          const at = overflowOffsets.next().value ?? 0;
          bytes.set(tail.overflow, at);
          const sector = base + Math.floor(at / SECTOR);
          systemUse.push(writeContinuation({ sector, offset: at % SECTOR, length: tail.overflow.length }));
        }
        const record = writeDirectoryRecord({
          ...partOf(extent ?? { sector: 0, size: 0 }, part),
          identifier,
          isDirectory: isDirectory(node),
          date: this.#date,
          systemUse: Buffer.concat(systemUse),
        });
        bytes.set(record, start + (recordOffsets[index] ?? 0));
      }
    }
    return bytes;
  }
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
function directoriesByLevel(root: DirectoryNode): NamedDirectory[] {
  const directories: NamedDirectory[] = [{ node: root, identifier: SELF, children: namedChildren(root) }];
  for (const { children } of directories) {
    for (const { node, identifier } of children) {
      if (!isDirectory(node)) continue;
      directories.push({ node, identifier, children: namedChildren(node) });
    }
  }
  return directories;
}

function namedChildren({ children }: DirectoryNode): NamedChild[] {
  const texts = primaryIdentifiers(new Map([...children].map(([name, node]) => [name, kindOf(node)])));
  return [...children]
    .map(([name, node]) => ({ name, node, text: texts.get(name) ?? name }))
    .toSorted((a, b) => comparePrimary(a.text, b.text))
    .map(({ name, node, text }) => ({ name, node, identifier: encodeLatin1(text) }));
}

function planRecords(directory: DirectoryNode, children: readonly NamedChild[], date: Date): PlannedRecord[] {
  const self = { node: directory, identifier: SELF, name: undefined };
  const parent = { node: directory.parent ?? directory, identifier: PARENT, name: undefined };
  return [self, parent, ...children].flatMap(({ node, identifier, name }) => {
    const tail = planTail(node, identifier, name, date);
    const parts = isDirectory(node) ? 1 : partCount(node.size);
    return Array.from({ length: parts }, (_, part) => ({ node, identifier, tail, part }));
  });
}

/** Only children have a `name`. The root's record of itself marks the use of the protocols. */
function planTail(
  node: DirectoryNode | FileSpec,
  identifier: Uint8Array,
  name: string | undefined,
  date: Date,
): Tail {
  const attributes = writeAttributes(
    { ...modeAndLinks(node), date },
    name === undefined ? 'nameless' : 'named',
  );
  const isRoot = identifier === SELF && isDirectory(node) && node.parent === undefined;
  if (isRoot) {
    const inline = Buffer.concat([writeSharingProtocol(), attributes]);
    return { inline, overflow: writeExtensionReference() };
  }
  const nameEntries = name === undefined ? new Uint8Array() : writeName(Buffer.from(name));
  const inline = Buffer.concat([attributes, nameEntries]);
  const room = MAX_RECORD - recordLength(identifier.length, 0);
  return inline.length <= room
    ? { inline, overflow: new Uint8Array() }
    : { inline: attributes, overflow: nameEntries };
}

function modeAndLinks(node: DirectoryNode | FileSpec): { mode: number; links: number } {
  if (!isDirectory(node)) return { mode: MODE.file, links: 1 };
  return { mode: MODE.directory, links: 2 + [...node.children.values()].filter(isDirectory).length };
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
