/** `storage.trees`: the files, links and, if they have an owner or a mode, folders of a local folder. */

import { posix } from 'node:path';
import type { NodeOwner } from '../ignition/config.ts';
import { isMapping } from '../formats/mapping.ts';
import { asString, itemsOf } from '../ignition/decode.ts';
import { executableMode, publicMode } from '../ignition/dataFile.ts';
import type { Path } from '../core/finding.ts';
import { dataUrlOf } from './dataUrl.ts';
import type { ButaneMembers } from './decode.ts';
import { tryLocal, readLocal, type ButaneTranslation } from './desugar.ts';
import type { LocalEntry } from './localFiles.ts';
import { NodeTracker } from './nodes.ts';
import { butaneIssue, nodeExists, problems } from './rules.ts';
import type { Generated } from './sources.ts';

export function addTrees(translation: ButaneTranslation, storage: ButaneMembers, base: Generated): Generated {
  const trees = itemsOf(storage['trees']);
  if (trees.length === 0) return base;
  const nodes = new NodeTracker(base);
  for (const [index, tree] of trees.entries()) {
    const from: Path = ['storage', 'trees', index];
    if (!isMapping(tree)) continue;
    const entries = tryLocal(translation, from, (files) => files.walk(asString(tree['local'])));
    if (translation.files === undefined) break;
    for (const entry of entries ?? []) addEntry(translation, nodes, tree, from, entry);
  }
  return nodes.result();
}

function addEntry(
  translation: ButaneTranslation,
  nodes: NodeTracker,
  tree: ButaneMembers,
  from: Path,
  entry: LocalEntry,
): void {
  const path = posix.join(asString(tree['path']) || '/', entry.path);
  const refuse = (problem: Parameters<typeof butaneIssue>[0]): void => {
    translation.issues.push(butaneIssue(problem, from));
  };
  const owners = ownersOf(tree);
  if (entry.kind === 'other') return refuse(problems.fileType);
  if (entry.kind === 'folder') {
    if (tree['dir_mode'] === undefined && Object.keys(owners).length === 0) return undefined;
    if (nodes.has(path)) return refuse(nodeExists(path));
    return nodes.add('directories', { path, ...owners, mode: tree['dir_mode'] ?? executableMode }, from);
  }
  if (entry.kind === 'link') {
    const known = nodes.find('links', path);
    if (known === undefined ? nodes.has(path) : known['target']) return refuse(nodeExists(path));
    return nodes.put('links', known, { path, ...owners }, { target: entry.target }, from);
  }
  const known = nodes.find('files', path);
  const contents = known !== undefined && isMapping(known['contents']) ? known['contents'] : {};
  if (known === undefined ? nodes.has(path) : contents['source']) return refuse(nodeExists(path));
  const data = readLocal(translation, entry.readAs, from);
  if (data === undefined) return undefined;
  const mode = known?.['mode'] ?? tree['file_mode'] ?? (entry.isExecutable ? executableMode : publicMode);
  const found = dataUrlOf(data, asString(contents['compression']));
  return nodes.put('files', known, { path, ...owners }, { mode, contents: { ...contents, ...found } }, from);
}

function ownersOf({ group, user }: ButaneMembers): { readonly group?: NodeOwner; readonly user?: NodeOwner } {
  return { ...(isSet(group) && { group }), ...(isSet(user) && { user }) };
}

function isSet(owner: unknown): owner is NodeOwner {
  return isMapping(owner) && Object.keys(owner).length > 0;
}
