/**
 * Digests of files, in one pass and little memory. The digest of a large file is cached: the file is unchanged only if
 * device, inode, size and both timestamps are equal. Unlike the modification time, the writer of a file cannot set the time of
 * its last change (ctime).
 */

import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { CliError } from '../../core/errors.ts';
import { stampOf } from './fileStates.ts';

/** Bytes that are read at once: with fewer, most of the time goes into asking. */
const BLOCK = 1024 * 1024;

/** The SHA-256 of a file; to be copied if more bytes follow. @throws system errors */
export async function hashFile(path: string): Promise<Hash> {
  const hash = createHash('sha256');
  await readIntoHashes(path, [hash]);
  return hash;
}

/** @throws system errors */
export async function readIntoHashes(path: string, hashes: readonly Hash[]): Promise<void> {
  const block = new Uint8Array(BLOCK);
  const handle = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead } = await handle.read(block);
      if (bytesRead === 0) return;
      for (const hash of hashes) hash.update(block.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** By absolute path. Lives as long as its owner keeps it. */
export interface KnownDigests {
  /** Hexadecimal SHA-256 of a file; read from it unless it is known. @throws system errors */
  sha256(path: string): Promise<string>;
  /** The digest of what the file was made from, if that is remembered and the file is unchanged. @throws system errors */
  recipe(path: string): Promise<string | undefined>;
  /** Remembers what is known of a file that was written just now. */
  remember(path: string, known: FileKnowledge): Promise<void>;
  /** What is known of the files that were asked for, and are still as they were, for the next run. */
  save(): Promise<Readonly<Record<string, StampedDigest>>>;
}

/** Digests of a file, in hexadecimal digits. */
export interface FileKnowledge {
  readonly sha256?: string | undefined;
  /** Of all that the file was made from. */
  readonly recipe?: string | undefined;
}

export interface StampedDigest extends FileKnowledge {
  readonly stamp: string;
}

export function knownDigests(earlier: ReadonlyMap<string, StampedDigest>): KnownDigests {
  const used = new Map<string, Look & FileKnowledge>();
  const know = async (path: string): Promise<Look & FileKnowledge> => {
    const look = await lookAt(path);
    const known = [used.get(path), earlier.get(path)].find((one) => one?.stamp === look.stamp);
    return { ...look, sha256: known?.sha256, recipe: known?.recipe };
  };
  return {
    remember: async (path, known) => void used.set(path, { ...(await lookAt(path)), ...known }),
    sha256: async (path) => {
      const known = await know(path);
      const sha256 = known.sha256 ?? (await readDigest(path, known.content));
      used.set(path, { ...known, sha256 });
      return sha256;
    },
    recipe: async (path) => {
      const known = await know(path);
      used.set(path, known);
      return known.recipe;
    },
    save: async () => {
      const saved: Record<string, StampedDigest> = {};
      for (const [path, { content, recipe, sha256 }] of used) {
        // A link to the file, made meanwhile, changes its ctime alone.
        const now = await lookAt(path).catch(() => undefined);
        if (now?.content === content) saved[path] = { stamp: now.stamp, sha256, recipe };
      }
      return saved;
    },
  };
}

interface Look {
  /** Identifies this version of this file. */
  readonly stamp: string;
  /** The same without ctime. */
  readonly content: string;
}

async function lookAt(path: string): Promise<Look> {
  const stamp = await stampOf(path);
  return { stamp, content: stamp.slice(0, stamp.lastIndexOf(':')) };
}

async function readDigest(path: string, content: string): Promise<string> {
  const hash = await hashFile(path);
  if ((await lookAt(path)).content !== content) {
    throw new CliError(`${path} changed while it was being read`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: `run the command again when no program writes to ${path}`,
    });
  }
  return hash.digest('hex');
}
