/** Formats an Ignition config as JSON with a fixed order of members, so that equal configs have equal bytes. */

import { asMapping, asMappings, isMapping, type Mapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { configType, type Field, structOf, type StructType } from './schema.ts';
import { type SpecVersion, versionNamed } from './versions.ts';

/**
 * The JSON document of a config with a final newline, indented by `indent` spaces; 0 prints one line. Members are in the
 * order of their declaration, as in Ignition, and integers have all their digits. Members that the version of the config
 * does not have are last.
 */
export function formatIgnition(config: Config, indent = 0): string {
  const version = versionNamed(config.ignition?.version);
  const type = version === undefined ? undefined : configType(version);
  return `${formatValue(config, type, indent > 0 ? '\n' : '', ' '.repeat(indent))}\n`;
}

/**
 * JSON.stringify does not support integers beyond 2^53. A config is as deep as its type, so recursion is bounded.
 * @param separator between a bracket or comma and the next token: nothing, or a line feed and the current indentation
 */
function formatValue(value: unknown, type: StructType | undefined, separator: string, step: string): string {
  if (typeof value === 'bigint') return value.toString();
  const inner = separator + step;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(formatValue(item, type, inner, step));
    return parts.length === 0 ? '[]' : `[${inner}${parts.join(`,${inner}`)}${separator}]`;
  }
  if (!isMapping(value)) return JSON.stringify(value);
  const fields = new Map<string, Field | undefined>();
  for (const field of type?.fields ?? []) fields.set(field.name, field);
  for (const name of Object.keys(value)) if (!fields.has(name)) fields.set(name, undefined);
  const colon = inner === '' ? ':' : ': ';
  for (const [name, field] of fields) {
    const member = value[name];
    if (member === undefined) continue;
    parts.push(JSON.stringify(name) + colon + formatValue(member, structOf(field), inner, step));
  }
  return parts.length === 0 ? '{}' : `{${inner}${parts.join(`,${inner}`)}${separator}}`;
}

/**
 * An Ignition config in the format of Go's `json.Marshal`, which Go controllers produce: on one line without a final
 * newline, with an object for every struct that Go cannot omit. Members that `version` does not have are omitted.
 */
export function formatGoIgnition(config: Config, version: SpecVersion): string {
  const complete = completeStruct(configType(version), asMapping(config));
  // Inside JSON these characters occur only in strings.
  return formatIgnition(complete)
    .trimEnd()
    .replaceAll(/[&<>\u2028\u2029]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
}

/** A config is as deep as its type, so recursion is bounded. */
function completeStruct({ fields }: StructType, members: Mapping): Mapping {
  return Object.fromEntries(fields.map((field) => [field.name, completeMember(field, members[field.name])]));
}

function completeMember(field: Field, member: unknown): unknown {
  const type = structOf(field);
  if (type === undefined) return member;
  if (Array.isArray(member)) {
    return asMappings(member).map((item) => completeStruct(type, item));
  }
  if (isMapping(member)) return completeStruct(type, member);
  return field.kind === 'struct' && !field.pointer ? completeStruct(type, {}) : undefined;
}
