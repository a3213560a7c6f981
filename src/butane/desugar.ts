/**
 * The values of a Butane document under their names in Ignition, with contents from the document and from local files. Source:
 * `butane/base/v0_8_exp/translate.go` and its predecessors.
 */

import type { Path } from '../core/finding.ts';
import { issue } from '../core/rule.ts';
import type { Config } from '../ignition/config.ts';
import { asString, itemsOf } from '../ignition/decode.ts';
import { asMapping, isMapping } from '../formats/mapping.ts';
import { dataUrlOf, percentEncoded } from './dataUrl.ts';
import type { ButaneMembers } from './decode.ts';
import { LocalFileError, type LocalFiles } from './localFiles.ts';
import { type ButaneFinding, butaneRules } from './rules.ts';
import { structOf, type StructType } from '../ignition/schema.ts';
import { type Generated, snakePath, Sources } from './sources.ts';
import type { ButaneRules } from './versions.ts';

/** What the steps of a translation share. */
export interface ButaneTranslation {
  readonly rules: ButaneRules;
  /** Undefined: no local file is read. */
  readonly files: LocalFiles | undefined;
  /** Paths are those of the YAML. */
  readonly issues: ButaneFinding[];
}

/** The config without the sugar that adds other objects. */
export function desugarValues(
  translation: ButaneTranslation,
  type: StructType,
  value: ButaneMembers,
): Generated {
  const copier: Copier = { ...translation, sources: new Sources(), from: [], to: [] };
  const { ignition, ...others } = copyStruct(copier, type, value);
  const version = translation.rules.spec;
  const config: Config = { ...others, ignition: { ...asMapping(ignition), version } };
  copier.sources.add(['ignition', 'version'], ['version']);
  return { config, locate: (path) => copier.sources.find(path) ?? snakePath(path) };
}

interface Copier extends ButaneTranslation {
  readonly sources: Sources;
  /** Paths of the current value, in the YAML and in the config. */
  readonly from: Path;
  readonly to: Path;
}

function copyStruct(copier: Copier, type: StructType, members: ButaneMembers): ButaneMembers {
  const copy: ButaneMembers = {};
  for (const field of type.fields) {
    const { name, target } = field;
    const struct = structOf(field);
    const value = members[name];
    if (target === undefined || value === undefined) continue;
    const [from, to] = [
      [...copier.from, name],
      [...copier.to, target],
    ];
    if (struct === undefined) copy[target] = value;
    else if (field.kind === 'list') {
      copy[target] = itemsOf(value).map((item, index) => {
        const ofItem = { ...copier, from: [...from, index], to: [...to, index] };
        return copyStruct(ofItem, struct, asMapping(item));
      });
    } else if (isMapping(value)) copy[target] = copyStruct({ ...copier, from, to }, struct, value);
  }
  if (type.name === 'Resource' || type.name === 'FileContents') addContents(copier, members, copy);
  if (type.name === 'Unit' || type.name === 'Dropin') {
    const from = [...copier.from, 'contents_local'];
    const local = asString(members['contents_local']);
    const contents = local === '' ? undefined : readLocal(copier, local, from);
    if (contents !== undefined) {
      copy['contents'] = textOf(contents);
      copier.sources.add([...copier.to, 'contents'], from);
    }
  }
  if (type.name === 'PasswdUser') addLocalKeys(copier, members, copy);
  return copy;
}

function addContents(copier: Copier, { inline, local }: ButaneMembers, copy: ButaneMembers): void {
  const name = inline === undefined ? 'local' : 'inline';
  const from = [...copier.from, name];
  const contents =
    inline === undefined
      ? local !== undefined && readLocal(copier, asString(local), from)
      : Buffer.from(asString(inline));
  if (!contents) return;
  copier.sources.add([...copier.to, 'source'], from);
  if (!copier.rules.features.has('compression')) {
    copy['source'] = percentEncoded(contents);
    return;
  }
  const compression = asString(copy['compression']);
  if (compression === '') copier.sources.add([...copier.to, 'compression'], from);
  Object.assign(copy, dataUrlOf(contents, compression));
}

/** One key per line. */
function addLocalKeys(
  copier: Copier,
  { ssh_authorized_keys_local: local }: ButaneMembers,
  copy: ButaneMembers,
): void {
  const paths = itemsOf(local);
  const from = [...copier.from, 'ssh_authorized_keys_local'];
  if (paths.length > 0 && copier.files === undefined) {
    copier.issues.push(issue(butaneRules.filesDir, from));
    return;
  }
  const keys = [...itemsOf(copy['sshAuthorizedKeys'])];
  for (const [index, path] of paths.entries()) {
    const contents = readLocal(copier, asString(path), [...from, index]);
    const lines = contents === undefined ? [] : textOf(contents).split(/\r?\n/);
    for (const line of lines) {
      if (line === '') continue;
      copier.sources.add([...copier.to, 'sshAuthorizedKeys', keys.length], [...from, index]);
      keys.push(line);
    }
  }
  if (keys.length > 0) copy['sshAuthorizedKeys'] = keys;
}

/** The contents of a local file; undefined if it cannot be read, which is reported at `from`. */
export function readLocal(translation: ButaneTranslation, path: string, from: Path): Uint8Array | undefined {
  return tryLocal(translation, from, (local) => local.read(path));
}

/** The result of `use`; undefined if the files cannot be used, which is reported at `from`. */
export function tryLocal<T>(
  { files, issues }: ButaneTranslation,
  from: Path,
  use: (files: LocalFiles) => T,
): T | undefined {
  if (files === undefined) {
    issues.push(issue(butaneRules.filesDir, from));
    return undefined;
  }
  try {
    return use(files);
  } catch (error) {
    if (!(error instanceof LocalFileError)) throw error;
    issues.push(issue(error.problem, from));
    return undefined;
  }
}

function textOf(contents: Uint8Array): string {
  return Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength).toString('utf8');
}
