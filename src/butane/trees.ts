/** `storage.trees`: the files, links and, if they have an owner or a mode, folders of a local folder. */

import { posix } from 'node:path';
import type { Path } from '../core/finding.ts';
import { issue, type Rule } from '../core/rule.ts';
import { asMapping, asMappings, type Mapping, mappingAt } from '../formats/mapping.ts';
import type { Config } from '../ignition/config.ts';
import { EXECUTABLE_MODE, PUBLIC_MODE } from '../ignition/dataFile.ts';
import { asString } from '../ignition/decode.ts';
import { dataUrlOf } from './dataUrl.ts';
import { type ButaneTranslation, readLocal, tryLocal } from './desugar.ts';
import type { LocalEntry } from './localFiles.ts';
import { NodeTracker } from './nodes.ts';
import { nodeExists, problems } from './rules.ts';
import { madeFor, withMade } from './sources.ts';

export function addTrees(translation: ButaneTranslation, storage: Mapping, base: Config): Config {
  const trees = asMappings(storage['trees']);
  if (trees.length === 0) return base;
  const nodes = new NodeTracker(base);
  for (const [index, tree] of trees.entries()) {
    const from: Path = ['storage', 'trees', index];
    const entries = tryLocal(translation, from, (files) => files.walk(asString(tree['local'])));
    if (translation.files === undefined) break;
    for (const entry of entries ?? []) addEntry(translation, nodes, tree, from, entry);
  }
  return nodes.result();
}

function addEntry(
  translation: ButaneTranslation,
  nodes: NodeTracker,
  tree: Mapping,
  from: Path,
  entry: LocalEntry,
): void {
  const path = posix.join(asString(tree['path']) || '/', entry.path);
  const refuse = (problem: Rule): void => {
    translation.issues.push(issue(problem, from));
  };
  const owners = Object.fromEntries(
    ['group', 'user'].flatMap((name) =>
      Object.keys(asMapping(tree[name])).length === 0 ? [] : [[name, tree[name]]],
    ),
  );
  if (entry.kind === 'other') return refuse(problems.fileType);
  if (entry.kind === 'folder') {
    if (tree['dir_mode'] === undefined && Object.keys(owners).length === 0) return undefined;
    if (nodes.has(path)) return refuse(nodeExists(path));
    const folder = { path, ...owners, mode: tree['dir_mode'] ?? EXECUTABLE_MODE };
    return nodes.add('directories', madeFor(folder, from));
  }
  if (entry.kind === 'link') {
    const known = nodes.find('links', path);
    if (known === undefined ? nodes.has(path) : known['target']) return refuse(nodeExists(path));
    const { target } = entry;
    return known === undefined
      ? nodes.add('links', madeFor({ path, ...owners, target }, from))
      : nodes.change('links', known, { target }, from);
  }
  const known = nodes.find('files', path);
  const contents = mappingAt(known, ['contents']);
  if (known === undefined ? nodes.has(path) : contents['source']) return refuse(nodeExists(path));
  const data = readLocal(translation, entry.readAs, from);
  if (data === undefined) return undefined;
  const mode = tree['file_mode'] ?? (entry.isExecutable ? EXECUTABLE_MODE : PUBLIC_MODE);
  const source = dataUrlOf(data, asString(contents['compression']));
  if (known === undefined) {
    return nodes.add('files', madeFor({ path, ...owners, mode, contents: source }, from));
  }
  const values = {
    ...(known['mode'] === undefined && { mode }),
    contents: withMade(contents, { ...source }, from),
  };
  return nodes.change('files', known, values, from);
}
