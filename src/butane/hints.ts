/** Hints of Ignition's rules in the terms of Butane: names of keys, versions, and values that JSON does not have. */

import type { Finding } from '../core/finding.ts';
import { once } from '../core/once.ts';
import { structOf, type StructType } from '../ignition/schema.ts';
import { butaneType } from './schema.ts';
import { butaneVersions, rulesOfVersion, versionOfSpec } from './versions.ts';

/** YAML has octal numbers, other than JSON. */
const OCTAL = 'write the mode in octal with a leading zero, for example 0644';

/** Hints about JSON, or parts of them, for which Butane has another way. */
const phrases: readonly (readonly [json: string | RegExp, yaml: string])[] = [
  [/^.*modes are decimal in JSON.*$/, OCTAL],
  ['use a decimal number from 0 to 4095 (octal 07777)', 'use an octal number from 0 to 07777'],
  ['contents.source ("data:," for', 'contents.inline ("" for'],
  ['data:,TEXT for inline contents', '"inline" for the contents themselves'],
  ['embed the file as data:;base64,DATA', 'use "local" with a path below --files-dir'],
  ['spec version', 'version'],
];

/** The hint for the YAML of a finding about the translated config; undefined if the finding has none. */
export function butaneHint({ hint, rule }: Finding): string | undefined {
  if (rule === 'agent-mode-decimal') return OCTAL;
  const text = phrases.reduce((rest, [json, yaml]) => rest?.replace(json, yaml), hint);
  // Other quoted texts are values of the user, as are paths such as /etc/keyFile.
  return text?.replaceAll(/"(?<quoted>[^"]*)"|(?<word>[^\s"]+)/g, (part, quoted?: string, word?: string) => {
    if (quoted !== undefined) return `"${butaneNames().get(quoted) ?? quoted}"`;
    return word?.includes('/') === true ? part : inButane(part);
  });
}

/** `kernelArguments.shouldExist` is `kernel_arguments.should_exist`, and the spec version 3.1.0 is Butane's 1.1.0. */
function inButane(word: string): string {
  return word
    .replaceAll(/[A-Za-z]+/g, (name) => butaneNames().get(name) ?? name)
    .replaceAll(/(?<![\d.])3\.\d+\.0(?:-experimental)?/g, (spec) => versionOfSpec(spec) ?? spec);
}

/** Keys with another name in Butane, by their name in JSON. */
const butaneNames = once(() => {
  const names = new Map<string, string>();
  const seen = new Set<StructType>();
  const add = (struct: StructType): void => {
    if (seen.has(struct)) return;
    seen.add(struct);
    for (const field of struct.fields) {
      const { name, target = name } = field;
      const inner = structOf(field);
      if (target !== name) names.set(target, name);
      if (inner !== undefined) add(inner);
    }
  };
  const newest = rulesOfVersion(butaneVersions.at(-1) ?? '');
  if (newest !== undefined) add(butaneType(newest));
  return names;
});
