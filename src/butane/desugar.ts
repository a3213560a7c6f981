/**
 * The values of a Butane document under their names in Ignition, with contents from the document and from local files. Source:
 * `butane/base/v0_8_exp/translate.go` and its predecessors.
 */

import type { Path } from '../core/finding.ts';
import { issue } from '../core/rule.ts';
import type { Config } from '../ignition/config.ts';
import { asString } from '../ignition/decode.ts';
import { asList, asMapping, asMappings, type Mapping } from '../formats/mapping.ts';
import { dataUrlOf, percentEncoded } from './dataUrl.ts';
import { LocalFileError, type LocalFiles } from './localFiles.ts';
import { type ButaneFinding, butaneRules } from './rules.ts';
import { structOf, type StructType } from '../ignition/schema.ts';
import { copiedFrom } from './sources.ts';
import type { ButaneRules } from './versions.ts';

export interface ButaneTranslation {
  readonly rules: ButaneRules;
  /** Undefined: no local file is read. */
  readonly files: LocalFiles | undefined;
  /** Paths are those of the YAML. */
  readonly issues: ButaneFinding[];
}

/** The config without the sugar that adds other objects. */
export function desugarValues(translation: ButaneTranslation, type: StructType, value: Mapping): Config {
  const { ignition, ...others } = copyStruct(translation, type, value, []);
  const versioned = { ...asMapping(ignition), version: translation.rules.spec };
  return copiedFrom(
    { ...others, ignition: copiedFrom(versioned, ['ignition'], { version: ['version'] }) },
    [],
  );
}

/** @param from the path of the object in the YAML */
function copyStruct(translation: ButaneTranslation, type: StructType, members: Mapping, from: Path): Mapping {
  const copy: Record<string, unknown> = {};
  for (const field of type.fields) {
    const { name, target } = field;
    const struct = structOf(field);
    const value = members[name];
    if (target === undefined || value === undefined) continue;
    const inner = [...from, name];
    if (struct === undefined) copy[target] = value;
    else if (field.kind === 'list') {
      copy[target] = asMappings(value).map((item, index) =>
        copyStruct(translation, struct, item, [...inner, index]),
      );
    } else copy[target] = copyStruct(translation, struct, asMapping(value), inner);
  }
  if (type.name === 'Resource' || type.name === 'FileContents') {
    return withContents(translation, members, copy, from);
  }
  if (type.name === 'Unit' || type.name === 'Dropin') {
    const local = asString(members['contents_local']);
    const place = [...from, 'contents_local'];
    const contents = local === '' ? undefined : readLocal(translation, local, place);
    if (contents !== undefined)
      return copiedFrom({ ...copy, contents: textOf(contents) }, from, { contents: place });
  }
  return type.name === 'PasswdUser' ? withLocalKeys(translation, members, copy, from) : copy;
}

function withContents(
  translation: ButaneTranslation,
  { inline, local }: Mapping,
  copy: Mapping,
  from: Path,
): Mapping {
  const place = [...from, inline === undefined ? 'local' : 'inline'];
  const contents =
    inline === undefined
      ? local !== undefined && readLocal(translation, asString(local), place)
      : Buffer.from(asString(inline));
  if (!contents) return copy;
  if (!translation.rules.features.has('compression')) {
    return copiedFrom({ ...copy, source: percentEncoded(contents) }, from, { source: place });
  }
  const compression = asString(copy['compression']);
  return copiedFrom({ ...copy, ...dataUrlOf(contents, compression) }, from, {
    source: place,
    ...(compression === '' && { compression: place }),
  });
}

/** One key per line. */
function withLocalKeys(
  translation: ButaneTranslation,
  { ssh_authorized_keys_local: local }: Mapping,
  copy: Mapping,
  from: Path,
): Mapping {
  const paths = asList(local);
  if (paths.length === 0) return copy;
  const place = [...from, 'ssh_authorized_keys_local'];
  if (translation.files === undefined) {
    translation.issues.push(issue(butaneRules['butane-files-dir'], place));
    return copy;
  }
  const keys = [...asList(copy['sshAuthorizedKeys'])];
  const places: Record<number, Path> = {};
  for (const [index, path] of paths.entries()) {
    const contents = readLocal(translation, asString(path), [...place, index]);
    const lines = contents === undefined ? [] : textOf(contents).split(/\r?\n/);
    for (const line of lines) {
      if (line === '') continue;
      places[keys.length] = [...place, index];
      keys.push(line);
    }
  }
  if (keys.length === 0) return copy;
  return { ...copy, sshAuthorizedKeys: copiedFrom(keys, [...from, 'ssh_authorized_keys'], places) };
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
    issues.push(issue(butaneRules['butane-files-dir'], from));
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
