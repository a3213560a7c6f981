/** Translates a Butane document to an Ignition config, which machines of all ages read. */

import { FormatError, type Position } from '../core/errors.ts';
import { type Finding, hasErrors, type Path } from '../core/finding.ts';
import { append } from '../core/lists.ts';
import { issue, type Rule } from '../core/rule.ts';
import { deepestNode, type DocumentNode, outerStart } from '../formats/documentTree.ts';
import { lineColumns } from '../formats/lineColumns.ts';
import { asMapping, isMapping, mappingAt } from '../formats/mapping.ts';
import { readYamlTree } from '../formats/yaml/tree.ts';
import type { Config } from '../ignition/config.ts';
import { asString, itemsOf } from '../ignition/decode.ts';
import { mergeConfigs } from '../ignition/merge.ts';
import { normalizeConfig } from '../ignition/normalize.ts';
import { parseSemver } from '../ignition/readVersion.ts';
import { bootDeviceConfig } from './bootDevice.ts';
import { checkButane, checkPartitions } from './checks.ts';
import { type ButaneMembers, decodeButane } from './decode.ts';
import { type ButaneTranslation, desugarValues, readLocal, tryLocal } from './desugar.ts';
import type { LocalEntry, LocalFiles } from './localFiles.ts';
import { mountUnits } from './mountUnits.ts';
import { addQuadlets } from './quadlets.ts';
import { type ButaneFinding, butaneRules, nodeExists, problems, variantProblem } from './rules.ts';
import type { StructType } from '../ignition/schema.ts';
import { butaneType, snakeCase } from './schema.ts';
import { madeFor, pathInYaml, withMade } from './sources.ts';
import { type ButaneRules, rulesOfVersion } from './versions.ts';
import { dataUrlOf } from './dataUrl.ts';
import { posix } from 'node:path';
import { EXECUTABLE_MODE, PUBLIC_MODE } from '../ignition/dataFile.ts';
import { NodeTracker } from './nodes.ts';
import { quoteText } from '../core/foreignText.ts';
import { nearestName } from '../core/nearestNames.ts';
import { findUnusedKeys } from '../ignition/unusedKeys.ts';

export interface TranslatedButane {
  /** The first document of the YAML; undefined for an empty text. */
  readonly root: DocumentNode | undefined;
  /** Undefined if there are errors. The rules of Ignition have not been checked. */
  readonly config: Config | undefined;
  /** Butane's own findings, with paths and positions in the YAML. */
  readonly findings: readonly Finding[];
  /** The path in the YAML of a path in the config. */
  readonly pathOf: (path: Path) => Path;
  /** The position of the deepest value on a path in the YAML. */
  readonly positionOf: (path: Path) => Position;
}

/** Larger texts take too much memory: contents belong in files. */
const MAX_BUTANE_BYTES = 16 * 1024 * 1024;

/**
 * @param files undefined: no local file is read
 * @throws FormatError if the text is not YAML, or too large
 */
export function translateButane(text: string, files: LocalFiles | undefined): TranslatedButane {
  if (text.length > MAX_BUTANE_BYTES) {
    throw new FormatError(`the Butane config is larger than ${MAX_BUTANE_BYTES / 1024 / 1024} MiB`, {
      hint: 'move large contents to files, and use "local" with --files-dir',
    });
  }
  const { root } = readYamlTree(text);
  const { issues, config } = translateDocument(root, files);
  const locate = lineColumns(text);
  const positionOf = (path: Path): Position =>
    locate(root === undefined ? 0 : outerStart(deepestNode(root, path)));
  const findings = issues.map(({ offset, ...finding }) => ({
    ...finding,
    position: offset === undefined ? positionOf(finding.path) : locate(offset),
  }));
  return {
    root,
    config: hasErrors(findings) ? undefined : config,
    findings,
    pathOf: (path) => (config === undefined ? path : pathInYaml(config, path)),
    positionOf,
  };
}

function translateDocument(
  root: DocumentNode | undefined,
  files: LocalFiles | undefined,
): { readonly issues: readonly ButaneFinding[]; readonly config?: Config } {
  const header = decodeButane(root, headerType);
  if (header.issues.length > 0) return { issues: header.issues };
  const rules = rulesOf(header.value);
  if ('path' in rules) return { issues: [rules] };
  const type = butaneType(rules);
  const { value, issues: mismatches } = decodeButane(root, type);
  if (mismatches.length > 0 || root === undefined) return { issues: mismatches };
  const unused = findUnusedKeys({ type, value, node: root, path: [] }, unusedKeyHint);
  const issues = [...unused, ...checkButane(type, value, rules)];
  if (hasErrors(issues)) return { issues };
  const config = generate({ rules, files, issues }, type, value);
  return { issues, config: normalizeConfig(config, rules.spec) };
}

/** Each step works on the result of the ones before; the values of the user take precedence over those that are made. */
function generate(translation: ButaneTranslation, type: StructType, value: ButaneMembers): Config {
  const { issues, rules } = translation;
  const storage = mappingAt(value, ['storage']);
  let config = desugarValues(translation, type, value);
  config = addTrees(translation, storage, config);
  config = addQuadlets(translation, mappingAt(value, ['systemd']), config);
  if (hasErrors(issues)) return config;
  const mergeOver = (made: Config | undefined): Config =>
    made === undefined ? config : mergeConfigs(made, config, rules.spec);
  config = mergeOver(mountUnits(storage, config, rules));
  config = mergeOver(bootDeviceConfig(mappingAt(value, ['boot_device'])));
  append(issues, checkPartitions(config, rules));
  return mergeOver(grubConfig(mappingAt(value, ['grub'])));
}

const plainText = { kind: 'string', goType: 'string', pointer: false, always: false } as const;
const headerType: StructType = {
  name: '',
  goType: '',
  fields: [
    { name: 'variant', ...plainText },
    { name: 'version', ...plainText },
  ],
  keyFields: [],
};

/** The rules of the version; an issue if Butane has no such version, or this program does not support the variant. */
function rulesOf({ variant, version }: ButaneMembers): ButaneRules | ButaneFinding {
  const name = asString(variant);
  if (name === '') return issue(problems.noVariant, ['variant']);
  if (name !== 'fcos') return issue(variantProblem(name), ['variant']);
  const number = parseSemver(asString(version));
  if (number === undefined) return issue(problems.invalidVersion, ['version']);
  const rules = rulesOfVersion(number);
  if (rules !== undefined) return rules;
  const message = `no translator exists for variant fcos with version ${number.slice(0, 40)}`;
  return { ...issue(butaneRules.version, ['version']), message };
}

/** `grub.users`: passwords that the boot loader asks for, in /boot/grub2/user.cfg. Undefined without users. */
function grubConfig(grub: ButaneMembers): Config | undefined {
  const users = itemsOf(grub['users']).filter(isMapping);
  if (users.length === 0) return undefined;
  const names = users.map(({ name }) => asString(name));
  const text = [
    '# Generated by Butane',
    '',
    `set superusers="${names.join(' ')}"`,
    ...users.map(({ name, password_hash: hash }) => `password_pbkdf2 ${asString(name)} ${asString(hash)}`),
    '',
  ].join('\n');
  const storage = {
    files: [{ path: '/boot/grub2/user.cfg', append: [dataUrlOf(Buffer.from(text))] }],
    filesystems: [{ device: '/dev/disk/by-label/boot', format: 'ext4', path: '/boot' }],
  };
  return madeFor({ storage }, ['grub', 'users']);
}

/** `storage.trees`: the files, links and, if they have an owner or a mode, folders of a local folder. */
function addTrees(translation: ButaneTranslation, storage: ButaneMembers, base: Config): Config {
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

function unusedKeyHint({ fields }: StructType, _path: Path, key: string): string | undefined {
  const names = fields.map(({ name }) => name);
  const snake = snakeCase(key);
  const name = names.includes(snake) ? snake : nearestName(key, names);
  return name && `use ${quoteText(name)}`;
}
