/**
 * Groups the same problem of many hosts: it has the same rule and hint in each of them, and differs only in the place, in names and
 * in values.
 */

import { groupBy } from '../../core/lists.ts';
import { printable } from '../../core/foreignText.ts';
import { type Diagnostic, severities } from '../../core/finding.ts';

export interface ProblemGroup {
  /** Empty for a problem that belongs to no host. */
  readonly hosts: readonly string[];
  /** The same problem of several hosts, or what only one host has. */
  readonly problems: readonly Diagnostic[];
}

/** A problem with a few different values is as many problems. */
const MAX_TEXTS = 3;

/** What stops hosts comes first. Diagnostics without hosts stay apart. */
export function groupProblems(diagnostics: readonly Diagnostic[]): readonly ProblemGroup[] {
  const shared = new Map<Diagnostic, readonly Diagnostic[]>();
  for (const similar of groupBy(diagnostics, problemKey).values()) {
    const texts = groupBy(similar, ({ hint, message }) => JSON.stringify([message, hint]));
    for (const same of texts.size > MAX_TEXTS ? [similar] : texts.values()) {
      const isShared = same.some(({ host }) => host?.name !== same[0]?.host?.name);
      if (isShared) for (const diagnostic of same) shared.set(diagnostic, same);
    }
  }
  const groups = groupBy(
    diagnostics,
    (diagnostic) => shared.get(diagnostic) ?? diagnostic.host?.name ?? diagnostic,
  );
  return [...groups.values()]
    .map((problems) => {
      const hosts = [...new Set(problems.flatMap(({ host }) => host?.name ?? []))];
      return { hosts, problems: hosts.length === 1 ? distinct(problems) : problems };
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Of two hosts with the same name, each has the problem that there are two. */
function distinct(problems: readonly Diagnostic[]): readonly Diagnostic[] {
  const same = groupBy(problems, ({ at, hint, message }) => JSON.stringify([message, hint, at]));
  return [...same.values()].flatMap(([first]) => first ?? []);
}

function problemKey({ code, hint = '', host, message, rule, severity }: Diagnostic): string {
  const state = severity === 'error' ? host?.state : undefined;
  const texts = [message, hint].map((text) => withoutValues(text, host?.name));
  return JSON.stringify([host === undefined, severity, state, rule, code, texts]);
}

/** Values are in quotes, or contain digits or slashes: addresses, paths and most names. A host may have the name "a", as the article. */
export function withoutValues(text: string, name?: string): string {
  return text.replaceAll(/"[^"]*"|[^\s,;:()"]+/g, (word) =>
    (word === name && word.length > 1) || /["\d/]/.test(word) ? '…' : word,
  );
}

function rankOf({ problems }: ProblemGroup): number {
  return severities.findIndex((rank) => problems.some(({ severity }) => severity === rank));
}

let collator: Intl.Collator | undefined;

/** Natural order: worker-2 comes before worker-10. */
function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true }); // takes some milliseconds
  return collator.compare(one, other);
}

/** Names in natural order, with successive numbers as one range: `worker-0 … worker-99, worker-120 and 7 more`. */
export function formatNames(names: readonly string[]): string {
  const ranges: string[][] = [];
  for (const name of names.toSorted(compareNames)) {
    const range = ranges.at(-1);
    const [before, now] = [range?.at(-1) ?? '', name].map((text) => /^(.*?)(\d+)$/.exec(text));
    const isNext = before?.[1] === now?.[1] && Number(before?.[2]) + 1 === Number(now?.[2]);
    if (range !== undefined && isNext) range.push(name);
    else ranges.push([name]);
  }
  const shown = ranges.flatMap((range) => (range.length > 2 ? [range] : range.map((name) => [name])));
  const texts = shown.slice(0, MAX_NAMES).map((range) => {
    const [first = '', last] = [range[0], range.length > 1 ? range.at(-1) : undefined];
    return printable(last === undefined ? first : `${first} … ${last}`);
  });
  const more = shown.slice(MAX_NAMES).flat().length;
  return `${texts.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

const MAX_NAMES = 8;
