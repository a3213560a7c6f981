/** What there is to know about the ids that commands print. `scripts/explanations.js` makes it of pages in `docs/`. */

import { readAsset } from '../../core/assets.ts';
import { once } from '../../core/once.ts';

/** The meaning of a rule, of the code of an error, of a cause, or of a condition, check, reason or line on the console. */
export interface Explanation {
  readonly id: string;
  /** Of a rule and an error; of others, what the id names: `cause`. */
  readonly severity: string;
  /** Of the Ignition specification, or `all`. */
  readonly versions: string;
  /** As written in the rule; in reports, it may also contain the value. */
  readonly message: string;
  readonly group: string;
  /** Ignition accepts what breaks the rule, so the user can turn it off. */
  readonly isLint: boolean;
  /** What it means: paragraphs, each on one line. */
  readonly meaning: readonly string[];
  readonly invalid?: Example;
  readonly valid?: Example;
  /** Where its text is: `docs/rules.md#path-relative`. */
  readonly section: string;
}

export interface Example {
  /** `json`: an Ignition config or a part of one. `yaml`: the same of a Butane config. `ini`: the agent's conf. `systemd`: the unit that runs the agent. `sh`: a command. */
  readonly language: string;
  readonly text: string;
}

/** All, in the order of the pages. The same id may be, for example, a check and a cause. */
export const explanations = once((): readonly Explanation[] =>
  JSON.parse(readAsset('dist/compiled/explanations.json')),
);

/** Those of a page: `rules`, `errors`, `troubleshooting` (causes) or `reasons`. */
export function explanationsIn(page: string): readonly Explanation[] {
  return explanations().filter(({ section }) => section.startsWith(`docs/${page}.md#`));
}
