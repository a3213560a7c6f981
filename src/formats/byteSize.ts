/** Sizes for people, in binary units. */

const units = ['KiB', 'MiB', 'GiB', 'TiB'];

/** As a column of them reads best: `512 B`, `1.0 KiB`, `1.2 GiB`. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 'B';
  for (const larger of units) {
    if (value < 1024) break;
    value /= 1024;
    unit = larger;
  }
  return unit === 'B' ? `${Math.floor(value)} B` : `${value.toFixed(1)} ${unit}`;
}

/** As in a sentence, with one decimal at most: `512 bytes`, `1 KiB`, `1.2 GiB`. */
export function formatSizeInWords(bytes: number): string {
  const names = ['bytes', ...units];
  const power = Math.min(names.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${names[power] ?? ''}`;
}
