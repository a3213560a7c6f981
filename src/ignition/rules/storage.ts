/** The storage section: relations between its lists. */

import type { Path, Finding } from '../../core/finding.ts';
import { cleanPath, joinPath } from '../../formats/goPath.ts';
import type { Disk, Link, Node, Storage } from '../config.ts';
import { errorRules, issue, type Rule, warningRules } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';

const BELOW_LINK_HINT = 'use the path that the link points to, or remove the link';

export const storageRules = {
  ...errorRules({
    'directory-below-link': ['directory path includes link in config', BELOW_LINK_HINT],
    'file-below-link': ['file path includes link in config', BELOW_LINK_HINT],
    'link-below-link': ['link path includes link in config', BELOW_LINK_HINT],
    'link-target-required': ['link target is required', 'set "target" to the path that the link points to'],
    'hard-link-to-directory': [
      'hard link target is a directory',
      'set "hard" to false for a symbolic link, or link to a file',
    ],
  }),
  ...warningRules({
    'hard-link-owner': [
      'user/group ignored for hard link',
      'remove user and group: a hard link has the owner of its target',
    ],
    'filesystem-over-partitions': [
      'filesystem overwrites partitioned device',
      'put the filesystem on a partition, e.g. /dev/disk/by-partlabel/LABEL',
    ],
    'filesystem-implicit-wipe': [
      'device matches disk with wipeTable enabled; filesystem will be wiped',
      'set wipeFilesystem if this is intended, or remove wipeTable from the disk',
    ],
  }),
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
    if ((disk?.partitions ?? []).length > 0) yield issue(storageRules['filesystem-over-partitions'], at);
    else if (disk?.wipeTable === true && wipeFilesystem !== true)
      yield issue(storageRules['filesystem-implicit-wipe'], at);
  }
};

function* linkIssues(storage: Storage, version: SpecVersion): Iterable<Finding> {
  const { directories = [], files = [], links = [] } = storage;
  const linksAt = countPaths(links);
  const lengths = new Set([...linksAt.keys()].map(({ length }) => length));
  /** One issue per link at a parent, as in Ignition. A link without a path is above all absolute paths. */
  function* belowLinks(rule: Rule, at: Path, { path = '' }: Node): Iterable<Finding> {
    for (const length of lengths) {
      if (path[length] === '/') yield* repeated(issue(rule, at), linksAt.get(path.slice(0, length)));
    }
  }
  for (const [index, directory] of directories.entries()) {
    yield* belowLinks(storageRules['directory-below-link'], ['directories', index], directory);
  }
  for (const [index, file] of files.entries()) {
    yield* belowLinks(storageRules['file-below-link'], ['files', index], file);
  }
  const directoriesAt = countPaths(directories);
  for (const [index, link] of links.entries()) {
    const at = ['links', index];
    yield* belowLinks(storageRules['link-below-link'], at, link);
    if (!link.target && isSince(version, '3.3.0')) {
      yield issue(storageRules['link-target-required'], [...at, 'target']);
    } else if (link.hard === true) yield* hardLinkIssues(link, at, directoriesAt);
  }
}

function countPaths(nodes: readonly Node[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path = '' } of nodes) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

function* repeated(one: Finding, times = 0): Iterable<Finding> {
  for (let time = 0; time < times; time++) yield one;
}

function* hardLinkIssues(
  link: Link,
  at: Path,
  directoriesAt: ReadonlyMap<string, number>,
): Iterable<Finding> {
  const { path = '', target = '', user = {}, group = {} } = link;
  // Ignition resolves a relative target below the link itself, not beside it.
  const absolute = target.startsWith('/') ? cleanPath(target) : joinPath(path, target);
  yield* repeated(issue(storageRules['hard-link-to-directory'], at), directoriesAt.get(absolute));
  for (const [name, owner] of Object.entries({ user, group })) {
    if (owner.id !== undefined) yield issue(storageRules['hard-link-owner'], [...at, name, 'id']);
    if (owner.name !== undefined) yield issue(storageRules['hard-link-owner'], [...at, name, 'name']);
  }
}
