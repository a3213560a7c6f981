/** The paths of a config's links, kept so that the links above another path are found by walking that path once. */

export interface PathTree {
  /** How many of the paths end here. */
  count: number;
  readonly below: Map<string, PathTree>;
}

/** A tree of path elements. An empty path is the element before the first slash, so it is above all absolute paths. */
export function pathTree(paths: readonly string[]): PathTree {
  const root: PathTree = { count: 0, below: new Map() };
  for (const path of paths) {
    let node = root;
    for (const element of path.split('/')) node = childOf(node, element);
    node.count += 1;
  }
  return root;
}

/** How many paths of the tree, followed by a slash, `path` starts with. */
export function countAbove(tree: PathTree, path: string): number {
  let count = 0;
  let node: PathTree | undefined = tree;
  let start = 0;
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', start)) {
    node = node.below.get(path.slice(start, slash));
    if (node === undefined) break;
    count += node.count;
    start = slash + 1;
  }
  return count;
}

function childOf(node: PathTree, element: string): PathTree {
  const existing = node.below.get(element);
  if (existing !== undefined) return existing;
  const child: PathTree = { count: 0, below: new Map() };
  node.below.set(element, child);
  return child;
}
