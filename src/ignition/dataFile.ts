/** Files whose contents stand in the config itself, and who may read them on the host. */

import type { File } from './config.ts';

export const publicMode = 0o644;
export const secretMode = 0o600;
export const executableMode = 0o755;

/** Text or bytes as a URL that holds them: always base64, which any content survives. */
export function base64DataUrl(content: string | Uint8Array): string {
  return `data:;base64,${Buffer.from(content).toString('base64')}`;
}

/** What the program writes into a file of the host. */
export interface AddedFile {
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

/** A file that replaces whatever the image has at its path. */
export function renderDataFile({ path, mode, content }: AddedFile): File {
  return { path, overwrite: true, contents: { source: base64DataUrl(content) }, mode };
}
