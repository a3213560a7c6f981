/**
 * The spec version of a config, read first as in Ignition: only `ignition.version` is decoded, with the error texts of Go. The
 * comparison follows Ignition's lax reading of SemVer, so `03.04.00` is 3.4.0.
 */

import type { DocumentNode } from '../formats/documentTree.ts';
import { isMapping } from '../formats/mapping.ts';
import { asString } from './decode.ts';
import { decodeJson, type TypeMismatch } from './decodeJson.ts';
import type { StructType } from './schema.ts';
import { type SpecVersion, versionNamed } from './versions.ts';

/** `text` is the version in the config; empty if it is missing. */
export type VersionResult =
  | { readonly status: 'supported'; readonly version: SpecVersion }
  | { readonly status: 'unsupported' | 'malformed'; readonly text: string }
  | { readonly status: 'mismatch'; readonly mismatch: TypeMismatch };

export function readVersion(root: DocumentNode): VersionResult {
  const { value, mismatches } = decodeJson(root, stubType);
  const [mismatch] = mismatches;
  if (mismatch !== undefined) {
    const path = mismatch.path.map((step) => String(step).toLowerCase());
    return { status: 'mismatch', mismatch: { ...mismatch, path } };
  }
  const section = value['Ignition'];
  const text = isMapping(section) ? asString(section['Version']) : '';
  const parsed = versionNamed(text) ?? parseSemver(text);
  if (parsed === undefined) return { status: 'malformed', text };
  const version = versionNamed(parsed);
  return version === undefined ? { status: 'unsupported', text } : { status: 'supported', version };
}

/** Ignition decodes into a struct without tags, so the messages of Go contain its field names. */
const stubType: StructType = {
  name: 'versionStub',
  goType: 'util.versionStub',
  fields: [
    {
      name: 'Ignition',
      kind: 'struct',
      goType: 'struct { Version string }',
      pointer: false,
      struct: {
        name: '',
        goType: 'struct { Version string }',
        fields: [{ name: 'Version', kind: 'string', goType: 'string', pointer: false, always: true }],
        keyFields: [],
      },
    },
  ],
  keyFields: [],
};

/**
 * The version in its normal form, e.g. `3.4.0` for `03.4.0-+`; undefined if it is malformed. Source: go-semver v0.3.1,
 * which accepts empty pre-releases, empty metadata and leading zeros.
 */
export function parseSemver(text: string): string | undefined {
  const [, core, preRelease = '', metadata = ''] = SEMVER_PATTERN.exec(text) ?? [];
  if (core === undefined || BAD_IDENTIFIERS.test(preRelease) || BAD_IDENTIFIERS.test(metadata))
    return undefined;
  const numbers = core.replaceAll(/(?<!\d)0+(?=\d)/g, '');
  for (const number of numbers.split('.')) {
    if (number.length > 19 || BigInt(number) >= 1n << 63n) return undefined;
  }
  return numbers + (preRelease && `-${preRelease}`) + (metadata && `+${metadata}`);
}

// Three numbers, a pre-release and metadata. No expression repeats a group, which would require a deep stack.
const SEMVER_PATTERN = /^(\d+\.\d+\.\d+)(?:-([^+]*))?(?:\+(.*))?$/s;
/** Identifiers are separated by dots. An empty identifier is invalid, but an empty list of them is valid. */
const BAD_IDENTIFIERS = /[^0-9A-Za-z.-]|^\.|\.\.|\.$/;
