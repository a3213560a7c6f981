/** The directories of an image to write, made from a flat list of paths. */

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
  /** How many of the children are directories. */
  subdirectories: number;
}

/** 6.8.2.1: the root is level 1. */
const MAX_LEVELS = 8;
const MAX_NAME_BYTES = 255;
/** A whole image has no more sectors. */
const MAX_FILE_SIZE = 0xffff_ffff * 2048;

/**
 * @returns the root
 * @throws FormatError for a path that an image cannot hold, or that is there already
 */
export function buildTree(files: readonly FileSpec[]): DirectoryNode {
  const root = startDirectory(undefined);
  for (const file of files) {
    const parts = checkedParts(file);
    const name = parts.pop() ?? '';
    const directory = parts.reduce((node, part) => enter(node, part, file.path), root);
    if (directory.children.has(name)) throw new FormatError(`two files are named ${file.path}`);
    directory.children.set(name, file);
  }
  return root;
}

export function isDirectory(node: DirectoryNode | FileSpec): node is DirectoryNode {
  return 'children' in node;
}

export function kindOf(node: DirectoryNode | FileSpec): NodeKind {
  return isDirectory(node) ? 'directory' : 'file';
}

function checkedParts({ path, size }: FileSpec): string[] {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) {
    throw new FormatError(`not a path that an image can hold: ${JSON.stringify(path)}`);
  }
  if (parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES)) {
    throw new FormatError(`name is longer than ${MAX_NAME_BYTES} bytes: ${path}`);
  }
  if (parts.length > MAX_LEVELS) {
    throw new FormatError(`more than ${MAX_LEVELS} levels of directories: ${path}`);
  }
  if (!Number.isSafeInteger(size) || size < 0 || size > MAX_FILE_SIZE) {
    throw new FormatError(`a file of ${size} bytes does not fit on an ISO 9660 image: ${path}`);
  }
  return parts;
}

function enter(node: DirectoryNode, name: string, path: string): DirectoryNode {
  const child = node.children.get(name);
  if (child === undefined) {
    const directory = startDirectory(node);
    node.children.set(name, directory);
    node.subdirectories++;
    return directory;
  }
  if (!isDirectory(child)) throw new FormatError(`${child.path} is a file, and a folder in ${path}`);
  return child;
}

function startDirectory(parent: DirectoryNode | undefined): DirectoryNode {
  return { parent, children: new Map(), subdirectories: 0 };
}
