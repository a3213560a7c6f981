/**
 * An Ignition config as Go's `json.Marshal` prints the types of Ignition, which is how controllers written in Go hand
 * configs on: on one line without a final newline, with an object for every struct that Go cannot leave out.
 */

import { isMapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import type { Members } from './decode.ts';
import { formatIgnition } from './ignitionText.ts';
import { configType, type Field, type StructType, structOf } from './schema.ts';
import type { SpecVersion } from './versions.ts';

/** The JSON text of a config of `version`; members that the version does not have are left out. */
export function formatGoIgnition(config: Config, version: SpecVersion): string {
  const complete = completeStruct(configType(version), isMapping(config) ? config : {});
  // Inside JSON these stand only in strings.
  return formatIgnition(complete)
    .trimEnd()
    .replaceAll(/[&<>\u2028\u2029]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
}

/** A config is as deep as its type, so recursion is bounded. */
function completeStruct({ fields }: StructType, members: Members): Members {
  return Object.fromEntries(fields.map((field) => [field.name, completeMember(field, members[field.name])]));
}

function completeMember(field: Field, member: unknown): unknown {
  const type = structOf(field);
  if (type === undefined) return member;
  if (Array.isArray(member)) {
    return member.map((item: unknown) => completeStruct(type, isMapping(item) ? item : {}));
  }
  if (isMapping(member)) return completeStruct(type, member);
  return field.kind === 'struct' && !field.pointer ? completeStruct(type, {}) : undefined;
}
