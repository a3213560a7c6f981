/** Translates a Butane document to an Ignition config, which machines of all ages read. */

import { FormatError } from '../core/errors.ts';
import type { Finding, Path, Position } from '../core/finding.ts';
import { makeLocator } from '../formats/yaml/errors.ts';
import { mappingAt } from '../formats/mapping.ts';
import type { Config } from '../ignition/config.ts';
import { asString } from '../ignition/decode.ts';
import { normalizeConfig } from '../ignition/merge.ts';
import { findingOf } from '../ignition/rule.ts';
import { parseSemver } from '../ignition/validate.ts';
import { bootDeviceConfig } from './bootDevice.ts';
import { checkButane, checkPartitions } from './checks.ts';
import { decodeButane, type ButaneMembers } from './decode.ts';
import { desugarValues, type ButaneTranslation } from './desugar.ts';
import { type ButaneDocument, maxButaneBytes, offsetOf, readDocument } from './document.ts';
import { grubConfig } from './grub.ts';
import type { LocalFiles } from './localFiles.ts';
import { mountUnits } from './mountUnits.ts';
import { addQuadlets } from './quadlets.ts';
import { type ButaneIssue, butaneIssue, problems, variantProblem } from './rules.ts';
import { butaneType, type ButaneStruct } from './schema.ts';
import { type Generated, mergeOver } from './sources.ts';
import { addTrees } from './trees.ts';
import { findUnusedButaneKeys } from './unusedKeys.ts';
import { rulesOfVersion, type ButaneRules } from './versions.ts';

export interface TranslatedButane {
  /** Undefined if there are errors. The rules of Ignition have not been checked. */
  readonly config: Config | undefined;
  /** Butane's own findings, with paths and positions in the YAML. */
  readonly findings: readonly Finding[];
  /** The path in the YAML of a path in the config. */
  readonly pathOf: (path: Path) => Path;
  /** The position of the deepest value on a path in the YAML. */
  readonly positionOf: (path: Path) => Position;
}

/**
 * @param files undefined: no local file is read
 * @throws FormatError if the text is not YAML, or too large
 */
export function translateButane(text: string, files: LocalFiles | undefined): TranslatedButane {
  if (text.length > maxButaneBytes) {
    throw new FormatError(`the Butane config is larger than ${maxButaneBytes / 1024 / 1024} MiB`, {
      hint: 'move large contents to files, and use "local" with --files-dir',
    });
  }
  const document = readDocument(text);
  const { issues, generated } = translateDocument(document, files);
  const locate = makeLocator(text);
  const { root } = document;
  const positionOf = (path: Path): Position => locate(root === undefined ? 0 : offsetOf(root, path));
  const findings = issues.map(({ offset, ...issue }) =>
    findingOf({ ...issue, position: offset === undefined ? positionOf(issue.path) : locate(offset) }),
  );
  const isValid = findings.every(({ severity }) => severity !== 'error');
  return {
    config: isValid ? generated?.config : undefined,
    findings,
    pathOf: (path) => generated?.locate(path) ?? path,
    positionOf,
  };
}

interface Result {
  readonly issues: readonly ButaneIssue[];
  readonly generated?: Generated;
}

function translateDocument({ root }: ButaneDocument, files: LocalFiles | undefined): Result {
  const header = decodeButane(root, headerType);
  if (header.issues.length > 0) return { issues: header.issues };
  const rules = rulesOf(header.value);
  if ('path' in rules) return { issues: [rules] };
  const type = butaneType(rules);
  const { value, issues: mismatches } = decodeButane(root, type);
  if (mismatches.length > 0 || root === undefined) return { issues: mismatches };
  const issues = [...findUnusedButaneKeys(type, value, root), ...checkButane(type, value, rules)];
  if (hasErrors(issues)) return { issues };
  const translation: ButaneTranslation = { rules, files, issues };
  const generated = generate(translation, type, value);
  return { issues, generated: { ...generated, config: normalizeConfig(generated.config, rules.spec) } };
}

/** Each step works on the result of the ones before. */
function generate(translation: ButaneTranslation, type: ButaneStruct, value: ButaneMembers): Generated {
  const { issues, rules } = translation;
  const storage = mappingAt(value, ['storage']);
  let generated = desugarValues(translation, type, value);
  const units = mountUnits(storage, generated.config, rules);
  if ((units.config.systemd?.units ?? []).length > 0) generated = mergeOver(units, generated, rules.spec);
  generated = addTrees(translation, storage, generated);
  generated = addQuadlets(translation, mappingAt(value, ['systemd']), generated);
  if (hasErrors(issues)) return generated;
  const bootDevice = bootDeviceConfig(mappingAt(value, ['boot_device']));
  if (bootDevice !== undefined) generated = mergeOver(bootDevice, generated, rules.spec);
  for (const issue of checkPartitions(generated, rules)) issues.push(issue);
  const grub = grubConfig(mappingAt(value, ['grub']));
  return grub === undefined ? generated : mergeOver(grub, generated, rules.spec);
}

function hasErrors(issues: readonly ButaneIssue[]): boolean {
  return issues.some(({ rule }) => rule.severity === 'error');
}

/** What Butane reads first. */
const plainText = {
  target: undefined,
  kind: 'string',
  isList: false,
  struct: undefined,
  isPointer: false,
} as const;
const headerType: ButaneStruct = {
  name: '',
  fields: new Map([
    ['variant', plainText],
    ['version', plainText],
  ]),
};

/** The rules of the version; an issue if Butane has no such version, or this program does not support the variant. */
function rulesOf({ variant, version }: ButaneMembers): ButaneRules | ButaneIssue {
  const name = asString(variant);
  if (name === '') return butaneIssue(problems.noVariant, ['variant']);
  if (name !== 'fcos') return butaneIssue(variantProblem(name), ['variant']);
  const number = parseSemver(asString(version));
  if (number === undefined) return butaneIssue(problems.invalidVersion, ['version']);
  const rules = rulesOfVersion(number);
  if (rules !== undefined) return rules;
  const message = `no translator exists for variant fcos with version ${number.slice(0, longestVersion)}`;
  return { ...butaneIssue(problems.unknownVersion, ['version']), message };
}

const longestVersion = 40;
