/**
 * Slash-separated paths as Go's package `path` treats them, because Ignition compares its results. Unlike `node:path`,
 * cleaning drops a trailing slash, and the answer does not depend on the system this runs on.
 */

/** The shortest equivalent path, found by its text alone (Go `path.Clean`); `.` for an empty one. Links are not followed. */
export function cleanPath(path: string): string {
  const rooted = path.startsWith('/');
  const kept: string[] = [];
  for (let start = 0, end = 0; start <= path.length; start = end + 1) {
    end = path.indexOf('/', start);
    if (end === -1) end = path.length;
    const element = path.slice(start, end);
    if (element === '' || element === '.') continue;
    if (element !== '..') kept.push(element);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!rooted) kept.push('..');
  }
  return rooted ? `/${kept.join('/')}` : kept.join('/') || '.';
}

/** The path of `second` below `first`, cleaned; an empty part is left out (Go `path.Join`). */
export function joinPath(first: string, second: string): string {
  const parts = [first, second].filter((part) => part !== '');
  return parts.length === 0 ? '' : cleanPath(parts.join('/'));
}

/** From the last dot of the last element to the end; empty where there is no dot (Go `path.Ext`). */
export function pathExtension(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') ? path.slice(dot) : '';
}
