/** The known names that a misspelled one may mean. */

/** At most three names, the most similar first: about a quarter of the letters may differ. */
export function nearestNames(typed: string, names: Iterable<string>): readonly string[] {
  return [...new Set(names)]
    .flatMap((name) => {
      const most = Math.ceil(name.length / 4);
      // The difference of the lengths takes as many edits at least.
      const edits = Math.abs(typed.length - name.length) > most ? Infinity : editDistance(typed, name);
      return edits > most ? [] : [{ name, edits }];
    })
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, 3)
    .map(({ name }) => name);
}

export function nearestName(typed: string, names: Iterable<string>): string | undefined {
  return nearestNames(typed, names)[0];
}

/** The Levenshtein distance in UTF-16 units. */
function editDistance(from: string, to: string): number {
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
