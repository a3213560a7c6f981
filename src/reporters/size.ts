/** Sizes for people. */

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** With one decimal at most, e.g. `2 GiB`. */
export function formatSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power] ?? ''}`;
}
