/** The folders of an image to write: made from a flat list of paths, with their records, and in the path tables that list all of them. */

import { quoteText } from '../../core/foreignText.ts';
import { FormatError } from '../../core/errors.ts';
import type { Extent } from './descriptors.ts';
import { joinRecords, PARENT, partCount, partOf, SELF, writeDirectoryRecord } from './directory.ts';
import { encodeLatin1, viewOf } from './fields.ts';
import { comparePrimary, type NodeKind, primaryIdentifiers } from './names.ts';
import {
  writeAttributes,
  writeContinuation,
  writeExtensionReference,
  writeName,
  writeSharingProtocol,
} from './rockRidge.ts';

/** A file to put on an image. Its content is not needed for the layout. */
export interface FileSpec {
  /** From the root, parts joined by `/`, e.g. `images/pxeboot/vmlinuz`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** A file or folder in its folder. */
interface Child {
  readonly kind: NodeKind;
  readonly path: string;
  readonly name: string;
  /** Its primary name, in its record. */
  readonly identifier: Uint8Array;
}

export interface Folder {
  /** Empty for the root. */
  readonly path: string;
  readonly identifier: Uint8Array;
  /** The root is its own parent. */
  readonly parent: string;
  /** In the order of their identifiers. */
  readonly children: readonly Child[];
}

/** 6.8.2.1: the root is level 1. */
const MAX_LEVELS = 8;
/** With it and the attributes, a record still fits into its 254 bytes. */
const MAX_NAME_BYTES = 128;

/** All folders by path, breadth first, the children of each in the order of their identifiers: the order that path tables demand. */
export function foldersOf(files: readonly FileSpec[]): ReadonlyMap<string, Folder> {
  const kinds = new Map<string, Map<string, NodeKind>>([['', new Map()]]);
  for (const { path } of files) {
    const parts = path.split('/');
    const isValid = parts.length <= MAX_LEVELS && parts.every(isName);
    if (!isValid || !add(kinds, parts)) {
      throw new FormatError(`invalid path for an ISO 9660 image: ${quoteText(path)}`);
    }
  }
  const folders = new Map<string, Folder>();
  const pending: Omit<Folder, 'children'>[] = [{ path: '', parent: '', identifier: SELF }];
  for (const { path, parent, identifier } of pending) {
    const inFolder = kinds.get(path) ?? new Map<string, NodeKind>();
    const children = Array.from(primaryIdentifiers(inFolder))
      .toSorted(([, a], [, b]) => comparePrimary(a, b))
      .map(([name, text]) => ({
        name,
        path: path === '' ? name : `${path}/${name}`,
        kind: inFolder.get(name) ?? 'file',
        identifier: encodeLatin1(text),
      }));
    folders.set(path, { path, parent, identifier, children });
    for (const child of children) {
      if (child.kind === 'directory') pending.push({ ...child, parent: path });
    }
  }
  return folders;
}

function isName(part: string): boolean {
  return !['', '.', '..'].includes(part) && !part.includes('\0') && Buffer.byteLength(part) <= MAX_NAME_BYTES;
}

/** Adds a file with its folders; false where the path, or that of one of the folders, is another's. */
function add(kinds: Map<string, Map<string, NodeKind>>, parts: readonly string[]): boolean {
  return parts.every((name, index) => {
    const siblings = kinds.get(parts.slice(0, index).join('/'));
    const isFile = index === parts.length - 1;
    const known = siblings?.get(name);
    if (siblings === undefined || known === 'file' || (known !== undefined && isFile)) return false;
    siblings.set(name, isFile ? 'file' : 'directory');
    const path = parts.slice(0, index + 1).join('/');
    if (!isFile && !kinds.has(path)) kinds.set(path, new Map());
    return true;
  });
}

const MODE = { file: 0o100444, directory: 0o040555 } as const;

/** What the records of an image have in common. */
export interface RecordContext {
  readonly folders: ReadonlyMap<string, Folder>;
  /** Of files and folders, by path. Those of folders may still be missing: their records have the same length. */
  readonly extents: ReadonlyMap<string, Extent>;
  readonly date: Date;
  /** The sector of the reference to Rock Ridge, which does not fit into a record. */
  readonly referenceSector: number;
}

/** The records of a folder: of itself, of its parent, and of its children, which alone have names. Whole sectors. */
export function writeFolder(folder: Folder, context: RecordContext): Uint8Array {
  const { date, extents, folders, referenceSector } = context;
  const attributesOf = (path: string, isNamed: 'named' | 'nameless'): Uint8Array => {
    const inside = folders.get(path)?.children;
    const mode = inside === undefined ? MODE.file : MODE.directory;
    const subfolders = inside?.filter(({ kind }) => kind === 'directory') ?? [];
    return writeAttributes({ mode, links: inside ? 2 + subfolders.length : 1, date }, isNamed);
  };
  const recordsOf = (path: string, identifier: Uint8Array, systemUse: Uint8Array): Uint8Array[] => {
    const extent = extents.get(path) ?? { sector: 0, size: 0 };
    const isDirectory = folders.has(path);
    return Array.from({ length: isDirectory ? 1 : partCount(extent.size) }, (_, part) =>
      writeDirectoryRecord({ ...partOf(extent, part), identifier, isDirectory, date, systemUse }),
    );
  };
  const own = attributesOf(folder.path, 'nameless');
  const reference = { sector: referenceSector, offset: 0, length: extensionReference.length };
  // The root's record of itself marks the use of the protocols.
  const marked =
    folder.path === '' ? Buffer.concat([writeSharingProtocol(), own, writeContinuation(reference)]) : own;
  return joinRecords([
    ...recordsOf(folder.path, SELF, marked),
    ...recordsOf(folder.parent, PARENT, attributesOf(folder.parent, 'nameless')),
    ...folder.children.flatMap(({ identifier, name, path }) =>
      recordsOf(path, identifier, Buffer.concat([attributesOf(path, 'named'), writeName(Buffer.from(name))])),
    ),
  ]);
}

/** The reference to Rock Ridge. */
export const extensionReference = writeExtensionReference();

/** A path table (9.4), which the standard wants, and nothing reads. */
export function writePathTable(
  folders: ReadonlyMap<string, Folder>,
  sectorOf: (path: string) => number,
  order: 'little' | 'big',
): Uint8Array {
  const numbers = new Map(Array.from(folders.keys(), (path, index) => [path, index + 1]));
  const entries = Array.from(folders.values(), ({ identifier, parent, path }) => {
    const bytes = new Uint8Array(8 + identifier.length + (identifier.length & 1));
    const view = viewOf(bytes);
    view.setUint8(0, identifier.length);
    view.setUint32(2, sectorOf(path), order === 'little');
    view.setUint16(6, numbers.get(parent) ?? 1, order === 'little');
    bytes.set(identifier, 8);
    return bytes;
  });
  return Buffer.concat(entries);
}
