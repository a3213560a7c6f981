/**
 * Where paths of Windows differ from those of other systems. Other modules of `io/` leave that to `node:path`; here is
 * what it has no function for. The platform is a parameter so that each is tested on all.
 */

import { posix, win32 } from 'node:path';

/** A pattern for file names, or any path, by its folders. */
export interface PathSteps {
  /** E.g. `/`, `C:\`; empty for what is relative. */
  readonly root: string;
  readonly steps: readonly string[];
}

/** Slashes separate on all systems, backslashes on Windows too. */
export function splitPath(path: string, platform: NodeJS.Platform = process.platform): PathSteps {
  const isWindows = platform === 'win32';
  const { root } = (isWindows ? win32 : posix).parse(path);
  const steps = path.slice(root.length).split(isWindows ? /[/\\]/ : '/');
  return { root, steps: steps.filter((step) => step !== '') };
}

/**
 * Whether a file of this name, which somebody else chose, would be just that in its folder. On Windows it may also be
 * another folder (`..\x`), another drive (`d:x`), a stream of another file (`a:b`) or a device (`nul.txt`).
 */
export function isOwnName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (/[/\0]/.test(name) || ['', '.', '..'].includes(name)) return false;
  return platform !== 'win32' || !NOT_ON_WINDOWS.test(name);
}

// oxlint-disable-next-line no-control-regex -- Windows refuses them
const NOT_ON_WINDOWS = /[\\:*?"<>|\x01-\x1f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
