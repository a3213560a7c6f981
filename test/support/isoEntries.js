// @ts-check
/** All files and folders of an image, for tests; JavaScript, because the fuzzer runs in any version of Node.js. */

/**
 * Each folder comes before its contents, and is entered once, also if it contains itself.
 * @typedef {import('../../src/image/isoTree.ts').IsoEntry} IsoEntry
 * @param {import('../../src/image/isoTree.ts').IsoTree} tree
 * @param {{ folder?: IsoEntry, prefix?: string, entered?: Set<number> }} [place]
 * @returns {AsyncGenerator<{ path: string, entry: IsoEntry }, void>}
 */
export async function* isoEntries(tree, { folder, prefix = '', entered = new Set() } = {}) {
  for (const entry of await tree.list(folder)) {
    const path = prefix + entry.name;
    yield { path, entry };
    if (entry.kind === 'file' || entered.has(entry.offset)) continue;
    entered.add(entry.offset);
    yield* isoEntries(tree, { folder: entry, prefix: `${path}/`, entered });
  }
}
