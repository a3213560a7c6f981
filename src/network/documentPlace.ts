/** A place in a document of a network, and what is reported about it. */

import { quoteText } from '../core/foreignText.ts';
import type { Finding, Path } from '../core/finding.ts';

export interface DocumentPlace {
  readonly path: Path;
  readonly findings: Finding[];
  /** Begins the names of rules: `nmstate` unless the document has another format. */
  readonly format?: string | undefined;
}

export const USE_NMSTATECTL =
  'remove the key, or convert the document with nmstatectl gc of nmstate and pass its keyfiles';

/** The rule of a value that nmstate may support, but this conversion does not. */
export const NOT_COVERED = 'nmstate-not-covered';

/** Reports a value that nmstate refuses, too, or that is invalid. `message` has no final period. */
export function refuse(place: DocumentPlace, message: string, hint?: string): undefined {
  const rule = `${place.format ?? 'nmstate'}-value`;
  place.findings.push({ severity: 'error', rule, path: place.path, message, hint });
}

/** Reports a value that nmstate may support, but this conversion does not. */
export function refuseUnsupportedValue(
  place: DocumentPlace,
  what: string,
  hint: string = USE_NMSTATECTL,
): undefined {
  const message = `the built-in nmstate conversion does not support ${what}`;
  place.findings.push({ severity: 'error', rule: NOT_COVERED, path: place.path, message, hint });
}

/** Reports a value that nmstate accepts but does not write to keyfiles; in other formats, one that is suspicious. */
export function warn(place: DocumentPlace, message: string, hint: string): void {
  const rule = place.format === undefined ? 'nmstate-dropped' : `${place.format}-suspicious`;
  place.findings.push({ severity: 'warning', rule, path: place.path, message, hint });
}

/**
 * Whether a value counts as none. Writers of network data leave a key out in three ways: without the key, with null (Nova's `mtu`)
 * and with an empty text (the `gateway` of Metal3's routes).
 */
export function isLeftOut(value: unknown, { format }: DocumentPlace): boolean {
  return format !== undefined && (value === undefined || value === null || value === '');
}

export function step({ path, findings, format }: DocumentPlace, ...steps: Path): DocumentPlace {
  return { path: [...path, ...steps], findings, format };
}

/** Whether an object has two keys with the same meaning, which is reported. */
export function hasBoth<Key extends string>(
  fields: Readonly<Partial<Record<Key, unknown>>>,
  key: Key,
  other: Key,
  place: DocumentPlace,
): boolean {
  if (fields[key] === undefined || fields[other] === undefined) return false;
  refuseTwin(step(place, other), key);
  return true;
}

export function refuseTwin(place: DocumentPlace, key: string): void {
  refuse(place, `duplicate of "${key}"`, `remove "${key}" or "${String(place.path.at(-1))}"`);
}

/** Long texts are not included in messages. The values contain no secrets. */
export function expected(what: string, value: unknown): string {
  return `expected ${what}, found ${describe(value)}`;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return quoteText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}
