/** How far a misspelt name is from others, to guess what was meant. */

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
