/** Where our judgement of config files and that of the real ironic-python-agent differ. */

import { checkConf } from '../../src/agent/confCheck.ts';
import { parseOsloConfig } from '../../src/formats/osloConfig.ts';
import { type IpaVerdict, ipaVerdicts } from './ipaOracle.ts';

/** Whether the agent starts with it, as we say. */
export const starts = (text: string): boolean =>
  checkConf(text).every(({ severity }) => severity !== 'error');

/** `section.name` of every option that the agent ignores, as we say. */
export function ignoredNames(text: string): string[] {
  const findings = checkConf(text);
  const sections = new Set(
    findings
      .filter(({ path, rule }) => rule === 'conf-unknown' && path.length === 1)
      .map(({ path }) => path[0]),
  );
  const names = findings
    .filter(({ path, rule }) => rule === 'conf-unknown' && path.length === 2)
    .map(({ path }) => path.join('.'));
  const inSections = parseOsloConfig(text).entries.flatMap((entry) =>
    entry.kind === 'option' && sections.has(entry.section) ? [`${entry.section}.${entry.name}`] : [],
  );
  return [...new Set([...names, ...inSections])].toSorted();
}

export interface ComparedConf {
  readonly text: string;
  readonly verdict: IpaVerdict;
  /** Whether it starts, and which names are ignored; these do not count where it does not start. */
  readonly agrees: boolean;
}

export function compareConfs(texts: readonly string[]): ComparedConf[] {
  return ipaVerdicts(texts).map((verdict, index) => {
    const text = texts[index] ?? '';
    const unknown = [...new Set(verdict.unknown.map((name) => name.join('.')))].toSorted();
    const sameNames = !verdict.starts || JSON.stringify(unknown) === JSON.stringify(ignoredNames(text));
    return { text, verdict, agrees: starts(text) === verdict.starts && sameNames };
  });
}
