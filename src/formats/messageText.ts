/** Lists, counts and sizes in messages. */

/** `a`, `a and b`, `a, b, and c`. `Intl` takes longer to load than a short command takes. */
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

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** As a column of them reads best: `512 B`, `1.0 KiB`, `1.2 GiB`. */
export function formatSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${power === 0 ? Math.floor(bytes) : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

/** As in a sentence, with one decimal at most: `512 bytes`, `1 KiB`, `1.2 GiB`. */
export function formatSizeInWords(bytes: number): string {
  return bytes < 1024 ? formatCount(bytes, 'byte') : formatSize(bytes).replace('.0 ', ' ');
}
