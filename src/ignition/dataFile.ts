/** Files with inline contents, and their modes on the host. */

import type { File } from './config.ts';
import { madeOf } from './origins.ts';

export const PUBLIC_MODE = 0o644;
export const SECRET_MODE = 0o600;
export const EXECUTABLE_MODE = 0o755;

/** Encodes text or bytes as a data URL, always in base64, which supports any content. */
export function base64DataUrl(content: string | Uint8Array): string {
  return `data:;base64,${Buffer.from(content).toString('base64')}`;
}

/** A file of the host that the program adds to the config. */
export interface AddedFile {
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

/** A file that replaces an existing file at its path. */
export function renderDataFile(added: AddedFile): File {
  const { path, mode, content } = added;
  return madeOf({ path, overwrite: true, contents: { source: base64DataUrl(content) }, mode }, added);
}
