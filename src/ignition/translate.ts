/**
 * Translates a config to another spec version. Upgrades work as in Ignition on boot, including two losses; downgrades,
 * which Ignition does not support, are possible if the older version can express the same. Keys that the version of the
 * config does not have are dropped by decoding. Source: the `translate` packages of Ignition's `config`.
 */

import { type Finding, hasErrors } from '../core/finding.ts';
import { asMapping, isMapping, type Mapping } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { formatIgnition } from './ignitionText.ts';
import { madeOf } from './origins.ts';
import { hasContent, normalizeConfig } from './normalize.ts';
import { errorRules, type Rule, warningRules } from '../core/rule.ts';
import { configType, type Field, structOf, type StructType, versionWith } from './schema.ts';
import { validateConfig } from './validate.ts';
import { isSince, type SpecVersion, specVersions } from './versions.ts';

export const translationRules = {
  ...errorRules({
    'field-unknown-to-version': [
      'the spec version does not have this field',
      'translate to a newer version, or remove the field',
    ],
    'special-bits-need-3.6.0': [
      'setuid, setgid and sticky bits have no effect before 3.6.0',
      'translate to 3.6.0 or newer, or remove the bits',
    ],
  }),
  ...warningRules({
    'special-bits-dropped': [
      'the setuid, setgid and sticky bits are removed: they had no effect before 3.6.0, but would have one now',
      'set the bits again in the translated config if they are intended',
    ],
    'advertisement-lost': [
      'the advertisement is lost, as in a translation by Ignition from 3.4.0: the Tang server must be online',
      'add the advertisement again to the translated config; its version supports it',
    ],
    'advertisement-fragile': [
      'an Ignition release that supports 3.5.0 drops the advertisement of a 3.4.0 config: the Tang server must be online',
      'use 3.5.0 if Ignition supports it on all hosts',
    ],
  }),
};

export interface Versions {
  readonly from: SpecVersion;
  readonly to: SpecVersion;
}

/** The config with remarks; or the reasons why it cannot be translated, one error per field. Paths are the same in both. */
export type Translation =
  | { readonly status: 'translated'; readonly config: Config; readonly findings: readonly Finding[] }
  | { readonly status: 'refused'; readonly findings: readonly Finding[] };

/**
 * Translates a valid config; the result has the form of `normalizeConfig`. A downgraded config is valid; an upgraded one
 * may be invalid, because newer versions require more (a link without a target, since 3.3.0).
 */
export function translateConfig(config: Config, { from, to }: Versions): Translation {
  const journey: Journey = { from, to, path: [], findings: [] };
  const { findings } = journey;
  // Normalized first: plain scalars that become nullable (the `target` of a link, the `level` of an array) are then set, as in
  // Ignition, and empty values are not reported as lost.
  const members = asMapping(normalizeConfig(config, from));
  const carried: Config = carryMembers(journey, configType(from), configType(to), members);
  const ignition = madeOf({ ...carried.ignition, version: to }, carried.ignition);
  const versioned = madeOf({ ...carried, ignition }, carried);
  const translated = normalizeConfig(versioned, to);
  if (!isSince(to, from)) {
    const report = validateConfig(Buffer.from(formatIgnition(translated)));
    for (const { position: _position, ...refusal } of report.findings) {
      if (refusal.severity !== 'error') continue;
      findings.push({ ...refusal, message: `${refusal.message}, in spec version ${to}` });
    }
  }
  return hasErrors(findings)
    ? { status: 'refused', findings }
    : { status: 'translated', config: translated, findings };
}

/** A field with another meaning since a version. */
interface Shift {
  readonly types: readonly string[];
  readonly field: string;
  readonly since: SpecVersion;
  /** The value that Ignition uses for the value of an older config. */
  readonly carryUp: (value: unknown) => unknown;
  /** Reported if the upgrade changes the value, or a downgrade would lose the change. */
  readonly up: Rule;
  readonly down: Rule;
}

const shifts: readonly Shift[] = [
  {
    types: ['Tang'],
    field: 'advertisement',
    since: '3.5.0',
    carryUp: () => undefined,
    up: translationRules['advertisement-lost'],
    down: translationRules['advertisement-fragile'],
  },
  {
    types: ['File', 'Directory'],
    field: 'mode',
    since: '3.6.0',
    carryUp: (mode) => (typeof mode === 'bigint' ? mode & ~0o7000n : Number(BigInt(Number(mode)) & ~0o7000n)),
    up: translationRules['special-bits-dropped'],
    down: translationRules['special-bits-need-3.6.0'],
  },
];

interface Journey extends Versions {
  readonly path: (string | number)[];
  readonly findings: Finding[];
}

function carryMembers(journey: Journey, from: StructType, to: StructType, members: Mapping): Mapping {
  const carried: Record<string, unknown> = {};
  for (const field of from.fields) {
    const member = members[field.name];
    if (member === undefined) continue;
    journey.path.push(field.name);
    const target = to.fields.find(({ name }) => name === field.name);
    const shift = shifts.find(({ types, field: name }) => types.includes(from.name) && name === field.name);
    if (target === undefined) journey.findings.push(unknownField(journey));
    else if (shift !== undefined) carried[field.name] = carryShifted(journey, shift, member);
    else carried[field.name] = carryMember(journey, field, target, member);
    journey.path.pop();
  }
  return madeOf(carried, members);
}

/** @param target the field in the target version */
function carryMember(journey: Journey, field: Field, target: Field, member: unknown): unknown {
  if (field.kind === 'struct' && target.kind === 'struct') {
    // If null and {} differ, remove an object that exists only because the newer version always prints it.
    if (!isMapping(member) || (target.pointer && !field.pointer && !hasContent(member))) return undefined;
    return carryMembers(journey, field.struct, target.struct, member);
  }
  const [from, to] = [structOf(field), structOf(target)];
  if (!Array.isArray(member) || from === undefined || to === undefined) return member;
  const items = member.map((item: unknown, index) => {
    journey.path.push(index);
    const carried = carryMembers(journey, from, to, asMapping(item));
    journey.path.pop();
    return carried;
  });
  return madeOf(items, member);
}

function carryShifted(journey: Journey, shift: Shift, value: unknown): unknown {
  const isUpwards = isSince(journey.to, shift.since);
  if (isSince(journey.from, shift.since) === isUpwards) return value;
  const above = shift.carryUp(value);
  if (above === value) return value;
  journey.findings.push({ ...(isUpwards ? shift.up : shift.down), path: [...journey.path] });
  return isUpwards ? above : value;
}

function unknownField({ to, path }: Journey): Finding {
  const holder = path.slice(0, -1);
  const name = String(path.at(-1));
  const first = versionWith(name, holder, specVersions);
  return {
    ...translationRules['field-unknown-to-version'],
    path: [...path],
    message: `spec version ${to} does not have ${name}`,
    hint: `translate to ${first ?? specVersions.at(-1)} or newer, or remove ${name}`,
  };
}
