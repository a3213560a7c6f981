/** Texts in units that systemd reads in another way than they are meant: percent signs and quotes in values. */

import { FormatError } from '../../core/errors.ts';
import { splitEnvironmentLine, splitExecLine } from '../../formats/systemdQuoting.ts';
import type { Issue } from '../../ignition/rule.ts';
import { broken, warning } from './lintRule.ts';
import type { LintedUnit, LintSubject, UnitSetting } from './subject.ts';

export const unitTextRules = {
  percent: warning(
    'agent-unit-percent',
    'a % that is not doubled stands for something else to systemd',
    'write %% for every percent sign that is part of a value, also for those of URL escapes',
  ),
  quotes: warning(
    'agent-unit-quotes',
    'a quote inside a value ends the value there',
    'write \\" for every quote that is part of a value',
  ),
};

export function checkUnitText({ units }: LintSubject): Issue[] {
  return units.flatMap((unit) => unit.settings.flatMap((setting) => checkSetting(unit, setting)));
}

function checkSetting({ name: unitName }: LintedUnit, setting: UnitSetting): Issue[] {
  const { name, value, path } = setting;
  if (name !== 'Environment' && !name.startsWith('Exec')) return [];
  const issues: Issue[] = [];
  const quoting = findQuoteProblem(name, value);
  if (quoting !== undefined) {
    issues.push(broken(unitTextRules.quotes, path, { message: `${unitName}: ${name}=: ${quoting}` }));
  }
  if (hasOddPercent(value)) {
    const message = `${unitName}: ${name}=: ${unitTextRules.percent.message}`;
    issues.push(broken(unitTextRules.percent, path, { message }));
  }
  return issues;
}

function findQuoteProblem(name: string, value: string): string | undefined {
  try {
    if (name === 'Environment') splitEnvironmentLine(value);
    else splitExecLine(value);
  } catch (error) {
    if (error instanceof FormatError) return 'a quote is not closed, so systemd ignores the line';
    throw error;
  }
  return hasTextBehindQuote(value) ? unitTextRules.quotes.message : undefined;
}

/** `"a "b" c"`: nobody means to close and open quotes without a blank. */
function hasTextBehindQuote(value: string): boolean {
  let quote = '';
  for (let index = 0; index < value.length; index++) {
    const character = value.charAt(index);
    if (character === '\\') {
      index += 1;
    } else if (quote === '') {
      if (character === '"' || character === "'") quote = character;
    } else if (character === quote) {
      quote = '';
      if (/\S/.test(value.charAt(index + 1))) return true;
    }
  }
  return false;
}

/** systemd.unit(5), "Specifiers". */
const specifiers = new Set('aAbBcCdDEfgGhHiIjJlLmMnNopPqsStTuUvVwWyY');

/**
 * A percent sign that is not doubled and looks like a part of the value: no specifier at all, an escape of a URL, or
 * anything in the URL of a proxy. Others, such as `%t/%n.pid`, are meant.
 */
function hasOddPercent(value: string): boolean {
  return value.split(/\s+/).some((word) => {
    const isProxy = /_proxy=/i.test(word);
    const isUrl = word.includes('://');
    return [...word.matchAll(/%(%|[0-9A-Fa-f]{2}|(?=(.?)))/gsu)].some(([, next = '', following = '']) => {
      if (next === '%') return false;
      const letter = next === '' ? following : next.charAt(0);
      return isProxy || !specifiers.has(letter) || (isUrl && next !== '');
    });
  });
}
