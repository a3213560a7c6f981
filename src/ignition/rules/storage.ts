/** The storage section: relations between its lists. */

import type { Path } from '../../core/finding.ts';
import { cleanPath, joinPath } from '../../formats/goPath.ts';
import type { Disk, Link, Node, Storage } from '../config.ts';
import { type Issue, issue, errorRule, warningRule, type Rule } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';

const BELOW_LINK_HINT = 'use the path that the link points to, or remove the link';

export const storageRules = {
  directoryBelowLink: errorRule(
    'directory-below-link',
    'directory path includes link in config',
    BELOW_LINK_HINT,
  ),
  fileBelowLink: errorRule('file-below-link', 'file path includes link in config', BELOW_LINK_HINT),
  linkBelowLink: errorRule('link-below-link', 'link path includes link in config', BELOW_LINK_HINT),
  linkTargetRequired: errorRule(
    'link-target-required',
    'link target is required',
    'set "target" to the path that the link points to',
  ),
  hardLinkToDirectory: errorRule(
    'hard-link-to-directory',
    'hard link target is a directory',
    'set "hard" to false for a symbolic link, or link to a file',
  ),
  hardLinkOwner: warningRule(
    'hard-link-owner',
    'user/group ignored for hard link',
    'remove user and group: a hard link has the owner of its target',
  ),
  partitionsOverwritten: warningRule(
    'filesystem-over-partitions',
    'filesystem overwrites partitioned device',
    'put the filesystem on a partition, e.g. /dev/disk/by-partlabel/LABEL',
  ),
  implicitWipe: warningRule(
    'filesystem-implicit-wipe',
    'device matches disk with wipeTable enabled; filesystem will be wiped',
    'set wipeFilesystem if this is intended, or remove wipeTable from the disk',
  ),
};

export const checkStorage: Check<Storage> = function* (storage, version) {
  const { disks = [], filesystems = [], links = [] } = storage;
  if (links.length > 0) yield* linkIssues(storage, version);
  // Filesystems on whole disks; if a disk has several entries, the last one counts.
  const byDevice = new Map<string, Disk>();
  for (const disk of disks) byDevice.set(disk.device ?? '', disk);
  for (const [index, { device = '', wipeFilesystem }] of filesystems.entries()) {
    const disk = byDevice.get(device);
    const at = ['filesystems', index, 'device'];
    if ((disk?.partitions ?? []).length > 0) yield issue(storageRules.partitionsOverwritten, at);
    else if (disk?.wipeTable === true && wipeFilesystem !== true) yield issue(storageRules.implicitWipe, at);
  }
};

function* linkIssues(storage: Storage, version: SpecVersion): Iterable<Issue> {
  const { directories = [], files = [], links = [] } = storage;
  const linkTree = pathTree(links.map(({ path = '' }) => path));
  yield* belowLinkIssues(storageRules.directoryBelowLink, ['directories', directories], linkTree);
  yield* belowLinkIssues(storageRules.fileBelowLink, ['files', files], linkTree);
  const directoryCounts = new Map<string, number>();
  for (const { path = '' } of directories) directoryCounts.set(path, (directoryCounts.get(path) ?? 0) + 1);
  for (const [index, link] of links.entries()) {
    const at = ['links', index];
    yield* repeated(issue(storageRules.linkBelowLink, at), countAbove(linkTree, link.path ?? ''));
    if (!link.target && isSince(version, '3.3.0'))
      yield issue(storageRules.linkTargetRequired, [...at, 'target']);
    else if (link.hard === true) yield* hardLinkIssues(link, at, directoryCounts);
  }
}

/** One issue per link above a node, as in Ignition. */
function* belowLinkIssues(
  rule: Rule,
  [list, nodes]: readonly [name: string, nodes: readonly Node[]],
  linkTree: PathTree,
): Iterable<Issue> {
  for (const [index, { path = '' }] of nodes.entries()) {
    yield* repeated(issue(rule, [list, index]), countAbove(linkTree, path));
  }
}

function* repeated(one: Issue, times: number): Iterable<Issue> {
  for (let time = 0; time < times; time++) yield one;
}

function* hardLinkIssues(
  link: Link,
  at: Path,
  directoryCounts: ReadonlyMap<string, number>,
): Iterable<Issue> {
  const { path = '', target = '', user = {}, group = {} } = link;
  // Ignition resolves a relative target below the link itself, not beside it.
  const absolute = target.startsWith('/') ? cleanPath(target) : joinPath(path, target);
  yield* repeated(issue(storageRules.hardLinkToDirectory, at), directoryCounts.get(absolute) ?? 0);
  if (user.id !== undefined) yield issue(storageRules.hardLinkOwner, [...at, 'user', 'id']);
  if (user.name !== undefined) yield issue(storageRules.hardLinkOwner, [...at, 'user', 'name']);
  if (group.id !== undefined) yield issue(storageRules.hardLinkOwner, [...at, 'group', 'id']);
  if (group.name !== undefined) yield issue(storageRules.hardLinkOwner, [...at, 'group', 'name']);
}

interface PathTree {
  /** Number of paths that end here. */
  count: number;
  readonly below: Map<string, PathTree>;
}

/** A tree of path elements. An empty path is the element before the first slash, so it is above all absolute paths. */
function pathTree(paths: readonly string[]): PathTree {
  const root: PathTree = { count: 0, below: new Map() };
  for (const path of paths) {
    let node = root;
    for (const element of path.split('/')) node = childOf(node, element);
    node.count += 1;
  }
  return root;
}

/** Number of paths in the tree that are a parent of `path`. */
function countAbove(tree: PathTree, path: string): number {
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
