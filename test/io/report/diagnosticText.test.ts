import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/core/finding.ts';
import { formatDiagnostic, formatDiagnostics, formatHosts } from '../../../src/io/report/diagnosticText.ts';
import { withColors } from '../../../src/io/report/colors.ts';

const at = { file: 'h.yaml', line: 4, column: 5 };
const excerpt = { line: 4, before: 'a: ', marked: 'bc', after: ' # d' };

const red = (text: string): string => `\u001b[1m\u001b[31m${text}\u001b[39m\u001b[22m`;
const yellow = (text: string): string => `\u001b[1m\u001b[33m${text}\u001b[39m\u001b[22m`;
const green = (text: string): string => `\u001b[1m\u001b[32m${text}\u001b[39m\u001b[22m`;
const cyan = (text: string): string => `\u001b[1m\u001b[36m${text}\u001b[39m\u001b[22m`;

describe('formatDiagnostic', () => {
  it.each<[string, Diagnostic, string]>([
    ['a message', { severity: 'warning', message: 'm' }, 'warning: m\n'],
    ['a hint', { severity: 'error', message: 'm', hint: 'h' }, 'error: m\nhint: h\n'],
    ['a rule', { severity: 'info', message: 'm', rule: 'r' }, 'info: m (r)\n'],
    ['a place', { severity: 'error', message: 'm', at }, 'error: h.yaml:4:5: m\n'],
    ['a file', { severity: 'error', message: 'm', at: { file: 'f' } }, 'error: f: m\n'],
    ['a place in a document', { severity: 'error', message: 'm', path: ['a', 0] }, 'error: m [$.a.0]\n'],
    [
      'a place in a document in a file',
      { severity: 'error', message: 'm', at, path: ['a'], excerpt, hint: 'h' },
      'error: m [$.a]\n  --> h.yaml:4:5\n   |\n 4 | a: bc # d\n   |    ^^\nhint: h\n',
    ],
    [
      'a place between characters',
      { severity: 'error', message: 'm', excerpt: { line: 12, before: '\tä', marked: '', after: '' } },
      'error: m\n    |\n 12 |     ä\n    |      ^\n',
    ],
    [
      'hosts',
      { severity: 'warning', message: 'm', hint: 'h', hosts: { names: ['a', 'b'], count: 9 } },
      'warning: m\nhint: h\n  for a, b and 7 more\n',
    ],
    [
      'one error of a host as one sentence',
      {
        severity: 'error',
        message: 'a is wrong',
        details: [{ severity: 'error', message: 'm', at, hint: 'h' }],
      },
      'error: a is wrong: h.yaml:4:5: m\nhint: h\n',
    ],
    [
      'several of a host below it',
      {
        severity: 'error',
        message: 'a is wrong',
        details: [
          { severity: 'warning', message: 'm', hint: 'h' },
          { severity: 'error', message: 'n' },
        ],
      },
      'error: a is wrong:\nwarning: m\nhint: h\nerror: n\n',
    ],
    [
      'what terminals would obey',
      { severity: 'error', message: 'a\u001b[31m\nb' },
      'error: a\\u001b[31m\\nb\n',
    ],
  ])('writes %s', (_title, diagnostic, text) => {
    expect(formatDiagnostic(diagnostic)).toBe(text);
  });

  it.each<[string, Diagnostic, string]>([
    ['an error', { severity: 'error', message: 'error: a' }, `${red('error')}: error: a\n`],
    [
      'a warning with its hint',
      { severity: 'warning', message: 'a', hint: 'b' },
      `${yellow('warning')}: a\n${green('hint')}: b\n`,
    ],
    ['what is only told', { severity: 'info', message: 'a' }, `${cyan('info')}: a\n`],
    [
      'marks, as their finding',
      { severity: 'warning', message: 'a', excerpt },
      `${yellow('warning')}: a\n   |\n 4 | a: bc # d\n   |    ${yellow('^^')}\n`,
    ],
  ])('colours %s', (_title, diagnostic, text) => {
    expect(formatDiagnostic(diagnostic, withColors)).toBe(text);
  });
});

describe('formatDiagnostics', () => {
  it('has an empty line between findings about documents alone', () => {
    const short = { severity: 'error', message: 'm' } as const;
    const long = { ...short, at, path: ['a'] };
    expect(formatDiagnostics([short, short])).toBe('error: m\nerror: m\n');
    expect(formatDiagnostics([long, long])).toBe(
      'error: m [$.a]\n  --> h.yaml:4:5\n\nerror: m [$.a]\n  --> h.yaml:4:5\n',
    );
  });
});

describe('formatHosts', () => {
  it.each([
    [['a'], 1, 'a'],
    [['a', 'b', 'c'], 4, 'a, b, c and 1 more'],
    [['a\u001b', 'b'], 2, 'a\\u001b, b'],
  ])('%j of %i: %s', (names, count, text) => {
    expect(formatHosts({ names, count })).toBe(text);
  });
});
