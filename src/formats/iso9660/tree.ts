/** The directories of an image to write, made from a flat list of paths. */

import { quoteText } from '../../core/foreignText.ts';
import { FormatError } from '../../core/errors.ts';
import type { NodeKind } from './names.ts';

/** A file to put on an image. Its content is not needed for the layout. */
export interface FileSpec {
  /** From the root, parts joined by `/`, e.g. `images/pxeboot/vmlinuz`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** A directory to write; everything below it hangs on `children`. */
export interface DirectoryNode {
  readonly parent: DirectoryNode | undefined;
  /** By real name. */
  readonly children: Map<string, DirectoryNode | FileSpec>;
}

/** 6.8.2.1: the root is level 1. */
const MAX_LEVELS = 8;
/** With it and the attributes, a record still fits into its 254 bytes. */
const MAX_NAME_BYTES = 128;

/** @returns the root */
export function buildTree(files: readonly FileSpec[]): DirectoryNode {
  const root: DirectoryNode = { parent: undefined, children: new Map() };
  for (const file of files) {
    const folders = file.path.split('/');
    const isValid = folders.length <= MAX_LEVELS && folders.every(isName);
    const name = folders.pop() ?? '';
    const directory = folders.reduce<DirectoryNode | undefined>(enter, root);
    if (!isValid || directory === undefined || directory.children.has(name))
      throw new FormatError(`invalid path for an ISO 9660 image: ${quoteText(file.path)}`);
    directory.children.set(name, file);
  }
  return root;
}

function isName(part: string): boolean {
  return !['', '.', '..'].includes(part) && !part.includes('\0') && Buffer.byteLength(part) <= MAX_NAME_BYTES;
}

export function isDirectory(node: DirectoryNode | FileSpec): node is DirectoryNode {
  return 'children' in node;
}

export function kindOf(node: DirectoryNode | FileSpec): NodeKind {
  return isDirectory(node) ? 'directory' : 'file';
}

/** The directory of this name, new if it is missing; undefined where a file has the name. */
function enter(parent: DirectoryNode | undefined, name: string): DirectoryNode | undefined {
  const child = parent?.children.get(name) ?? { parent, children: new Map() };
  if (!isDirectory(child)) return undefined;
  parent?.children.set(name, child);
  return child;
}
