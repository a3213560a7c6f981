/**
 * What a rule of Ignition is made of. A rule is declared once, in the file of the type that it is about, and named by
 * everything else: checks yield issues that point to their rule, reports and `explain` read the rest from it.
 */

import type { Finding, Path, Severity } from '../core/finding.ts';
import type { Integer } from './config.ts';
import type { SpecVersion } from './versions.ts';

export interface Rule {
  /** Stable and documented; lower-case words joined by dashes, e.g. `path-relative`. */
  readonly id: string;
  readonly severity: Severity;
  /** Ignition's own words where it has some: people search for them. */
  readonly message: string;
  /** What to do about it, in our words: one sentence. */
  readonly hint: string;
}

/** A rule that is broken. `path` is relative to the value that was checked. */
export interface Issue {
  readonly rule: Rule;
  readonly path: Path;
  /** In place of the rule's message and hint, where they name what was found. */
  readonly message?: string;
  readonly hint?: string;
}

/** An issue as reports take it; the rule's own words stand where the issue has none. */
export function findingOf({ rule, path, message = rule.message, hint = rule.hint }: Issue): Finding {
  return { severity: rule.severity, rule: rule.id, path, message, hint };
}

/** The check of one type: its own rules only, in the order in which Ignition reports them; children are walked elsewhere. */
export type Check<T> = (value: T, version: SpecVersion) => Iterable<Issue>;

// How rules are declared, and how a check reports one that is broken.

/** A rule whose breach keeps a config or an image from working: Ignition or another program refuses it. */
export function errorRule(id: string, message: string, hint: string): Rule {
  return { id, severity: 'error', message, hint };
}

/** A rule whose breach is accepted, but probably not meant. */
export function warningRule(id: string, message: string, hint: string): Rule {
  return { id, severity: 'warning', message, hint };
}

/** A rule about what is worth knowing and need not be changed. */
export function infoRule(id: string, message: string, hint: string): Rule {
  return { id, severity: 'info', message, hint };
}

/** A broken rule; `hint` is for one that names what was found, in place of the rule's own. */
export function issue(rule: Rule, path: Path, hint?: string): Issue {
  return hint === undefined ? { rule, path } : { rule, path, hint };
}

const none: readonly Issue[] = [];

/** What a check reports: those of its parts that found something. */
export function found(...issues: readonly (Issue | undefined)[]): readonly Issue[] {
  return issues.some((one) => one !== undefined) ? issues.filter((one) => one !== undefined) : none;
}

const longestSuggestion = 120;

/** A hint that says what to write, unless that is too long to be read. */
export function suggest(text: string): string | undefined {
  return text.length > longestSuggestion ? undefined : `write ${JSON.stringify(text)}`;
}

/** Whether the field is there and not 0. */
export function isNonZero(value: Integer | undefined): value is Integer {
  return value !== undefined && BigInt(value) !== 0n;
}
