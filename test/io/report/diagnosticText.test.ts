import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/core/finding.ts';
import { formatDiagnostic, formatDiagnostics, formatGrouped } from '../../../src/io/report/diagnosticText.ts';
import { formatNames } from '../../../src/io/report/problemGroups.ts';
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
      'a warning of a host',
      { severity: 'warning', message: 'm', hint: 'h', host: { name: 'a' } },
      'warning: m\n  for a\nhint: h\n',
    ],
    [
      'an error of a host',
      {
        severity: 'error',
        message: 'm',
        at,
        hint: 'h',
        host: { name: 'a', at: { file: 'h.yaml', line: 3 }, state: 'not written' },
      },
      'error: a is not written (h.yaml:3): h.yaml:4:5: m\nhint: h\n',
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

const host = (name: string, line: number) => ({ name, at: { file: 'h.yaml', line }, state: 'not written' });
const missing = (name: string, line: number): Diagnostic => ({
  severity: 'error',
  message: `file "${name}.pub" not found`,
  at: { file: 'h.yaml', line: line + 1 },
  excerpt,
  hint: 'create it',
  host: host(name, line),
});
const noKey = (name: string): Diagnostic => ({ severity: 'warning', message: 'no key', host: { name } });

describe('formatNames', () => {
  it.each([
    [['a', 'b-9', 'b-10'], 'a, b-9, b-10'],
    [['b-9', 'b-10', 'b-11', 'b-13'], 'b-9 … b-11, b-13'],
    [['b-13', 'b-11', 'a', 'b-9', 'b-10'], 'a, b-9 … b-11, b-13'],
    ['abcdefghij'.split(''), 'a, b, c, d, e, f, g, h and 2 more'],
    [['a\u001b', 'b'], 'a\\u001b, b'],
  ])('%j: %s', (names, text) => {
    expect(formatNames(names)).toBe(text);
  });
});

describe('formatGrouped', () => {
  it.each<[string, readonly Diagnostic[], string]>([
    [
      'a problem of several hosts once, with the first in full and the names in natural order',
      [missing('b-10', 3), missing('b-2', 6), missing('b-1', 9), missing('b-3', 12)],
      `error: 4 hosts are not written: file "b-10.pub" not found
  --> h.yaml:4 and 3 more: b-1 … b-3, b-10
   |
 4 | a: bc # d
   |    ^^
hint: create it
`,
    ],
    [
      'few different values each',
      [missing('b-10', 3), { ...missing('b-10', 6), host: host('c', 6) }, missing('b-2', 9)].map((one) => ({
        ...one,
        excerpt: undefined,
      })),
      `error: 2 hosts are not written: file "b-10.pub" not found
  --> h.yaml:4 and 1 more: b-10, c
hint: create it
error: b-2 is not written (h.yaml:9): h.yaml:10: file "b-2.pub" not found
hint: create it
`,
    ],
    [
      'first and last of many names',
      [0, 1, 2, 3, 4, 5].map((number) => noKey(`b-${number}`)),
      'warning: 6 hosts: no key\n  for b-0 … b-5\n',
    ],
    [
      'errors before warnings',
      [noKey('b'), noKey('c'), { ...noKey('d'), severity: 'error', message: 'n' }],
      'error: n\n  for d\nwarning: 2 hosts: no key\n  for b, c\n',
    ],
    [
      'hints that differ apart',
      [noKey('b'), { ...noKey('c'), hint: 'set one' }],
      'warning: no key\n  for b\nwarning: no key\n  for c\nhint: set one\n',
    ],
    [
      'several problems of one host below it',
      [
        { severity: 'warning', message: 'm', host: host('a', 3) },
        { severity: 'error', message: 'n', host: host('a', 3) },
      ],
      'error: a is not written (h.yaml:3):\nwarning: m\nerror: n\n',
    ],
    [
      'what concerns no host in its order',
      [
        { severity: 'warning', message: 'm' },
        { severity: 'error', message: 'n' },
      ],
      'warning: m\nerror: n\n',
    ],
  ])('writes %s', (_title, diagnostics, text) => {
    expect(formatGrouped(diagnostics)).toBe(text);
  });
});
