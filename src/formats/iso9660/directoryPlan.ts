/**
 * The tree of directories of an image to write: first the sizes, which follow from the names alone, then, once all places
 * are known, the bytes. The reference to Rock Ridge, which does not fit into a record, is in a sector behind the tree.
 */

import type { Extent } from './descriptors.ts';
import {
  PARENT,
  partCount,
  partOf,
  placeRecords,
  recordLength,
  SELF,
  writeDirectoryRecord,
} from './directory.ts';
import {
  writeAttributes,
  writeContinuation,
  writeExtensionReference,
  writeName,
  writeSharingProtocol,
} from './rockRidge.ts';
import { encodeLatin1, SECTOR } from './fields.ts';
import { comparePrimary, primaryIdentifiers } from './names.ts';
import { type PathTableEntry, pathTableSize } from './pathTable.ts';
import { type DirectoryNode, type FileSpec, isDirectory, kindOf } from './tree.ts';

const MODE = { file: 0o100444, directory: 0o040555 } as const;

/** The record of `node` in a directory: that of itself, of its parent, or of a child, which alone has a name. */
interface PlannedRecord {
  readonly node: DirectoryNode | FileSpec;
  readonly identifier: Uint8Array;
  readonly name: string | undefined;
  /** Which stretch of a large file it names. */
  readonly part: number;
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

const extensionReference = writeExtensionReference();

export class DirectoryPlan {
  /** Bytes of all directories and of the sector with the reference; whole sectors. */
  readonly size: number;
  readonly pathTableSize: number;
  readonly #date: Date;
  /** In the order of the path table. */
  readonly #directories = new Map<DirectoryNode, PlannedDirectory>();

  constructor(root: DirectoryNode, date: Date) {
    this.#date = date;
    let end = 0;
    for (const { node, identifier, children } of directoriesByLevel(root)) {
      const records = planRecords(node, children);
      const { offsets, size } = placeRecords(
        records.map((record) => recordLength(record.identifier.length, systemUseOf(record, date, 0).length)),
      );
      const number = this.#directories.size + 1;
      const planned = { node, identifier, records, recordOffsets: offsets, start: end, size, number };
      this.#directories.set(node, planned);
      end += size;
    }
    this.size = end + SECTOR;
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
    const referenceAt = this.size - SECTOR;
    bytes.set(extensionReference, referenceAt);
    for (const { records, recordOffsets, start } of this.#directories.values()) {
      for (const [index, planned] of records.entries()) {
        const { node, identifier, part } = planned;
        const extent = isDirectory(node) ? this.extentOf(node, base) : extents.get(node.path);
        const record = writeDirectoryRecord({
          ...partOf(extent ?? { sector: 0, size: 0 }, part),
          identifier,
          isDirectory: isDirectory(node),
          date: this.#date,
          systemUse: systemUseOf(planned, this.#date, base + referenceAt / SECTOR),
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

function planRecords(directory: DirectoryNode, children: readonly NamedChild[]): PlannedRecord[] {
  const self = { node: directory, identifier: SELF, name: undefined };
  const parent = { node: directory.parent ?? directory, identifier: PARENT, name: undefined };
  return [self, parent, ...children].flatMap(({ node, identifier, name }) => {
    const parts = isDirectory(node) ? 1 : partCount(node.size);
    return Array.from({ length: parts }, (_, part) => ({ node, identifier, name, part }));
  });
}

/** The root's record of itself marks the use of the protocols. */
function systemUseOf(
  { identifier, name, node }: PlannedRecord,
  date: Date,
  referenceSector: number,
): Uint8Array {
  const posix = { ...modeAndLinks(node), date };
  if (name !== undefined)
    return Buffer.concat([writeAttributes(posix, 'named'), writeName(Buffer.from(name))]);
  const attributes = writeAttributes(posix, 'nameless');
  const isRoot = identifier === SELF && isDirectory(node) && node.parent === undefined;
  if (!isRoot) return attributes;
  const reference = { sector: referenceSector, offset: 0, length: extensionReference.length };
  return Buffer.concat([writeSharingProtocol(), attributes, writeContinuation(reference)]);
}

function modeAndLinks(node: DirectoryNode | FileSpec): { mode: number; links: number } {
  if (!isDirectory(node)) return { mode: MODE.file, links: 1 };
  return { mode: MODE.directory, links: 2 + [...node.children.values()].filter(isDirectory).length };
}
