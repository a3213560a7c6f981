/** Lists, counts and sizes in messages, and the known name that a misspelled one is closest to. */

// Lists in sentences. That of `Intl` would do, but takes longer to load than a short command does for all else.

/** `a`, `a and b`, `a, b, and c` */
export function formatWordList(items: readonly string[]): string {
  const [last = '', ...before] = items.toReversed();
  if (before.length === 0) return last;
  const comma = before.length > 1 ? ',' : '';
  return `${before.toReversed().join(', ')}${comma} and ${last}`;
}

/** `1 host`, `2 hosts`, `0 hosts` */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// Sizes for people, in binary units.

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** As a column of them reads best: `512 B`, `1.0 KiB`, `1.2 GiB`. */
export function formatSize(bytes: number): string {
  const power = powerOf(bytes);
  return power === 0 ? `${Math.floor(bytes)} B` : `${(bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

/** As in a sentence, with one decimal at most: `512 bytes`, `1 KiB`, `1.2 GiB`. */
export function formatSizeInWords(bytes: number): string {
  const power = powerOf(bytes);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}

/** The largest unit that is not larger than the size. */
function powerOf(bytes: number): number {
  return Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
}

// How far a misspelled name is from others, to decide whether it means one of them. `core/nearestNames.ts` suggests names after an error.

/** The name that takes the fewest edits, if at most about a quarter of its letters differ; the first of several. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const name of names) {
    const most = Math.ceil(name.length / 4);
    if (Math.abs(wanted.length - name.length) > most) continue; // it takes as many edits at least
    const distance = editDistance(wanted, name);
    if (distance > most || distance >= fewest) continue;
    nearest = name;
    fewest = distance;
  }
  return nearest;
}

/** Insertions, deletions and substitutions of UTF-16 units that make one of the other (Levenshtein). It takes time by the product of their lengths. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const substituted = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
