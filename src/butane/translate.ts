/** Translates a Butane document to an Ignition config, which machines of all ages read. */

import { FormatError, type Position } from '../core/errors.ts';
import { type Finding, hasErrors, type Path } from '../core/finding.ts';
import { quoteText } from '../core/foreignText.ts';
import { append } from '../core/lists.ts';
import { nearestName } from '../core/nearestNames.ts';
import { issue } from '../core/rule.ts';
import { deepestNode, type DocumentNode, outerStart } from '../formats/documentTree.ts';
import { lineColumns } from '../formats/lineColumns.ts';
import { asMappings, type Mapping, mappingAt } from '../formats/mapping.ts';
import { readYamlTree } from '../formats/yaml/tree.ts';
import type { Config } from '../ignition/config.ts';
import { asString } from '../ignition/decode.ts';
import { mergeConfigs } from '../ignition/merge.ts';
import { normalizeConfig } from '../ignition/normalize.ts';
import { parseSemver } from '../ignition/readVersion.ts';
import type { StructType } from '../ignition/schema.ts';
import { findUnusedKeys } from '../ignition/unusedKeys.ts';
import { bootDeviceConfig } from './bootDevice.ts';
import { checkButane, checkPartitions } from './checks.ts';
import { dataUrlOf } from './dataUrl.ts';
import { decodeButane } from './decode.ts';
import { type ButaneTranslation, desugarValues } from './desugar.ts';
import type { LocalFiles } from './localFiles.ts';
import { mountUnits } from './mountUnits.ts';
import { addQuadlets } from './quadlets.ts';
import { type ButaneFinding, butaneRules, problems, variantProblem } from './rules.ts';
import { butaneType, snakeCase } from './schema.ts';
import { madeFor, pathInYaml } from './sources.ts';
import { addTrees } from './trees.ts';
import { type ButaneRules, rulesOfVersion } from './versions.ts';

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
function generate(translation: ButaneTranslation, type: StructType, value: Mapping): Config {
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
function rulesOf({ variant, version }: Mapping): ButaneRules | ButaneFinding {
  const name = asString(variant);
  if (name === '') return issue(problems.noVariant, ['variant']);
  if (name !== 'fcos') return issue(variantProblem(name), ['variant']);
  const number = parseSemver(asString(version));
  if (number === undefined) return issue(problems.invalidVersion, ['version']);
  const rules = rulesOfVersion(number);
  if (rules !== undefined) return rules;
  const message = `no translator exists for variant fcos with version ${number.slice(0, 40)}`;
  return { ...issue(butaneRules['butane-version'], ['version']), message };
}

/** `grub.users`: passwords that the boot loader asks for, in /boot/grub2/user.cfg. Undefined without users. */
function grubConfig(grub: Mapping): Config | undefined {
  const users = asMappings(grub['users']);
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

function unusedKeyHint({ fields }: StructType, _path: Path, key: string): string | undefined {
  const names = fields.map(({ name }) => name);
  const snake = snakeCase(key);
  const name = names.includes(snake) ? snake : nearestName(key, names);
  return name && `use ${quoteText(name)}`;
}
