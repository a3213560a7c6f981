/**
 * The version of the spec that a config names, read before anything else as Ignition does: only `ignition.version` is
 * decoded, with Go's error texts. Versions compare by Ignition's lax reading of SemVer, so `03.04.00` is 3.4.0.
 */

import { isMapping } from '../formats/mapping.ts';
import { asString, decode, type TypeMismatch } from './decode.ts';
import type { StructType } from './schema.ts';
import { type SpecVersion, specVersions } from './versions.ts';

/** `text` is what stands in the config, empty if nothing does. */
export type VersionResult =
  | { readonly status: 'supported'; readonly version: SpecVersion }
  | { readonly status: 'unsupported' | 'malformed'; readonly text: string }
  | { readonly status: 'mismatch'; readonly mismatch: TypeMismatch };

/** Reads `ignition.version` of a document that is valid JSON. */
export function readVersion(bytes: Buffer): VersionResult {
  const { value, mismatch } = decode(bytes, stubType);
  if (mismatch !== undefined) return { status: 'mismatch', mismatch };
  const section = value['Ignition'];
  const text = isMapping(section) ? asString(section['Version']) : '';
  const parsed = parseSemver(text);
  if (parsed === undefined) return { status: 'malformed', text };
  const version = specVersions.find((candidate) => candidate === parsed);
  return version === undefined ? { status: 'unsupported', text } : { status: 'supported', version };
}

/** Ignition decodes into a struct without tags, so Go's messages show its field names. */
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
 * The version in its normal form, e.g. `3.4.0` for `03.4.0-+`; undefined if it is none. Source: go-semver v0.3.1, which
 * lets empty pre-releases, empty metadata and leading zeros pass.
 */
function parseSemver(text: string): string | undefined {
  const [withoutMetadata, metadata] = splitAt(text, '+');
  const [core, preRelease] = splitAt(withoutMetadata, '-');
  const parts = core.split('.', 4);
  if (parts.length !== 3 || !parts.every((part) => /^\d+$/.test(part))) return undefined;
  const numbers = parts.map((part) => part.replace(/^0+(?=\d)/, ''));
  if (!numbers.every(fitsInt64)) return undefined;
  if (
    ![preRelease, metadata].every((identifier) => identifier === '' || identifierPattern.test(identifier))
  ) {
    return undefined;
  }
  return numbers.join('.') + (preRelease && `-${preRelease}`) + (metadata && `+${metadata}`);
}

const identifierPattern = /^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/;

function fitsInt64(digits: string): boolean {
  return digits.length <= 19 && BigInt(digits) < 1n << 63n;
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
}
