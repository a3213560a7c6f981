import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { validateConfig } from '../../../src/ignition/validate.ts';
import type { Finding, Report } from '../../../src/core/finding.ts';
import { printable } from '../../../src/core/foreignText.ts';
import { createTextReporter, formatVerdict } from '../../../src/io/report/text.ts';
import { formatTextReport } from '../../support/textReport.ts';
import { codePoint } from '../../support/arbitraryText.ts';

function frame(text: string, finding: Partial<Finding>): string[] {
  const full = { severity: 'error', rule: 'r', path: ['a'], message: 'm', ...finding } as const;
  const lines = formatTextReport(
    { valid: false, findings: [full] },
    { name: 'f', bytes: Buffer.from(text, 'latin1') },
  );
  return lines.trimEnd().split('\n').slice(2);
}

const at = (line: number, column: number) => ({ position: { line, column } });

describe('formatTextReport', () => {
  it('shows what, where, the line, and what to do', () => {
    const bytes = Buffer.from(
      '{\n  "ignition": {"version": "3.4.0"},\n  "storage": {\n    "files": [\n      {"path": "etc/hostname"}\n    ]\n  }\n}\n',
    );
    const report = validateConfig(bytes);
    expect(formatTextReport(report, { name: 'worker-3.ign', bytes }).split('\n')).toEqual([
      'error: path not absolute [$.storage.files.0.path] (path-relative)',
      '  --> worker-3.ign:5:16',
      '   |',
      ' 5 |       {"path": "etc/hostname"}',
      '   |                ^^^^^^^^^^^^^^',
      `hint: ${report.findings[0]?.hint}`,
      '',
    ]);
  });

  it('shows the line of several findings at one place once, and the place of each', () => {
    const finding = { severity: 'warning', rule: 'r', path: ['a'], ...at(1, 6) } as const;
    const report: Report = {
      valid: true,
      findings: [
        { ...finding, message: 'one' },
        { ...finding, message: 'two' },
        { ...finding, message: 'three', ...at(1, 2) },
      ],
    };
    expect(formatTextReport(report, { name: 'f', bytes: Buffer.from('{"a":1}') }).split('\n')).toEqual([
      'warning: one [$.a] (r)',
      '  --> f:1:6',
      '   |',
      ' 1 | {"a":1}',
      '   |      ^',
      '',
      'warning: two [$.a] (r)',
      '  --> f:1:6',
      '',
      'warning: three [$.a] (r)',
      '  --> f:1:2',
      '   |',
      ' 1 | {"a":1}',
      '   |  ^^^',
      '',
    ]);
  });

  it('is empty without findings', () => {
    expect(formatTextReport({ valid: true, findings: [] }, { name: 'f', bytes: Buffer.from('x') })).toBe('');
  });

  it('has no frame without a position', () => {
    const report: Report = {
      valid: false,
      findings: [{ severity: 'error', rule: 'r', path: [], message: 'm' }],
    };
    expect(formatTextReport(report, { name: 'f', bytes: Buffer.from('x') })).toBe('error: m (r)\n  --> f\n');
  });

  it.each<[string, string, Partial<Finding>, string[]]>([
    ['a number', '{"a": 12}', at(1, 7), ['   |', ' 1 | {"a": 12}', '   |       ^^']],
    [
      'a string with an escaped quote',
      '{"a": "x\\"y"}',
      at(1, 7),
      ['   |', ' 1 | {"a": "x\\"y"}', '   |       ^^^^^^'],
    ],
    [
      'a value of YAML of an invalid type',
      'a: 3.4',
      { ...at(1, 4), path: [] },
      ['   |', ' 1 | a: 3.4', '   |    ^^^'],
    ],
    ['the bracket before a position', '{"b": 1}', at(1, 2), ['   |', ' 1 | {"b": 1}', '   | ^']],
    ['a key just behind a bracket', '{"a": 1}', at(1, 2), ['   |', ' 1 | {"a": 1}', '   |  ^^^']],
    [
      'an item just behind a bracket',
      '["x"]',
      { path: [0], ...at(1, 2) },
      ['   |', ' 1 | ["x"]', '   |  ^^^'],
    ],
    [
      'what is before the position, for the whole document',
      '{"a": "x", 1',
      { path: [], ...at(1, 10) },
      ['   |', ' 1 | {"a": "x", 1', '   |       ^^^'],
    ],
    [
      'one byte, for syntax',
      '{"a": x}',
      { path: [], rule: 'json-syntax', ...at(1, 8) },
      ['   |', ' 1 | {"a": x}', '   |       ^'],
    ],
    ['tabs as blanks', '\t{"a":\t1}', at(1, 8), ['   |', ' 1 |     {"a":    1}', '   |              ^']],
    [
      'multi-byte characters',
      '{"\xc3\xa9": 1, "a": 2}',
      at(1, 16),
      ['   |', ' 1 | {"é": 1, "a": 2}', '   |               ^'],
    ],
    [
      'wide characters',
      '{"\xe6\xbc\xa2": 1, "a": 2}',
      at(1, 17),
      ['   |', ' 1 | {"漢": 1, "a": 2}', '   |                ^'],
    ],
    ['CRLF', '{\r\n"a": 1\r\n}', at(2, 6), ['   |', ' 2 | "a": 1', '   |      ^']],
    [
      'bytes that are not UTF-8',
      '{"\xff": 1, "a": 2}',
      at(1, 15),
      ['   |', ' 1 | {"\ufffd": 1, "a": 2}', '   |               ^'],
    ],
    [
      'control characters',
      '{"\x1b[31m\x7f\xc2\x9b": 1}',
      at(1, 14),
      ['   |', ' 1 | {"\\u001b[31m\\u007f\\u009b": 1}', '   |                            ^'],
    ],
  ])('underlines %s', (_title, text, finding, lines) => {
    expect(frame(text, finding)).toEqual(lines);
  });

  it('shows a part of a long line', () => {
    const text = `{"${'x'.repeat(100_000)}": "${'y'.repeat(100_000)}"}`;
    const [, line = '', carets = ''] = frame(text, at(1, 100_006));
    expect(line).toMatch(/^ 1 \| …x+": "y+…$/);
    expect(line.length).toBeLessThan(120);
    expect(line.slice(carets.indexOf('^'))[0]).toBe('"');
  });

  it.each<[string, string, Partial<Finding>, string]>([
    [
      'a data URL as its start',
      '{"a": "data:;base64,c2VjcmV0cw=="}',
      at(1, 7),
      ' 1 | {"a": "data:;base64,c2Vjcm…"}',
    ],
    ['a short one as a whole', '{"a": "data:,secret"}', at(1, 7), ' 1 | {"a": "data:,secret"}'],
    [
      'one in front of the place',
      '{"a": "data:,secrets!", "b": 1}',
      at(1, 30),
      ' 1 | {"a": "data:,secret…", "b": 1}',
    ],
    [
      'one behind the place',
      '{"b": 1, "a": "data:,secrets!"}',
      at(1, 7),
      ' 1 | {"b": 1, "a": "data:,secret…"}',
    ],
    [
      'the middle of one',
      `{"a": "data:,${'secret'.repeat(30)}"}`,
      { path: [], rule: 'json-syntax', ...at(1, 100) },
      ' 1 | ………',
    ],
    ['one that never ends', '{"a": "data:,secrets! {', at(1, 7), ' 1 | {"a": "data:,secret…'],
  ])('shows of %s', (_title, text, finding, line) => {
    expect(frame(text, finding)[1]).toBe(line);
  });

  it('is linear in a document of one long line with many findings', () => {
    const bytes = Buffer.from(`[${'1,'.repeat(1_000_000)}1]`);
    const findings = Array.from({ length: 20_000 }, (_, index): Finding => ({
      severity: 'error',
      rule: 'r',
      path: [index],
      message: 'm',
      position: { line: 1, column: 2 + index * 100 },
    }));
    expect(formatTextReport({ valid: false, findings }, { name: 'f', bytes })).toContain('--> f:1:2\n');
  });

  it('writes nothing to a terminal that is not text, whatever the document holds', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        fc.nat(90),
        fc.string({ unit: codePoint }),
        (bytes, column, message) => {
          const findings: Finding[] = [
            { severity: 'error', rule: 'r', path: [message], message, ...at(1, column + 1) },
          ];
          const text = formatTextReport({ valid: false, findings }, { name: message, bytes });
          expect(text).toMatch(/^(?:[^\p{Cc}\p{Cf}]|\n)*$/u);
        },
      ),
    );
  });
});

describe('createTextReporter', () => {
  it('parts the findings of files, and tells verdicts and errors apart from them', () => {
    const reporter = createTextReporter();
    const finding = { severity: 'error', rule: 'r', path: [], message: 'm' } as const;
    const bytes = Buffer.from('');
    const bad = { report: { valid: false, findings: [finding] }, bytes };
    const told = [
      reporter.add({ ...bad, file: 'a' }),
      reporter.add({ file: 'b', report: { valid: true, findings: [] }, bytes }),
      reporter.add({ ...bad, file: '-' }),
      reporter.add({ file: 'c', error: new CliError('gone: c\n', { code: 'ERR_SETTING', hint: 'h' }) }),
    ];
    expect(told.map(({ stdout }) => stdout)).toEqual([
      'error: m (r)\n  --> a\n',
      '',
      '\nerror: m (r)\n  --> standard input\n',
      '',
    ]);
    expect(told.map(({ stderr, error }) => error?.message ?? stderr)).toEqual([
      'a: invalid (1 error)\n',
      'b: valid\n',
      'standard input: invalid (1 error)\n',
      'gone: c\n',
    ]);
  });
});

describe('formatVerdict', () => {
  it.each<[string, Report]>([
    ['f: valid\n', { valid: true, findings: [] }],
    [
      'f: valid (1 warning)\n',
      { valid: true, findings: [{ severity: 'warning', rule: 'r', path: [], message: 'm' }] },
    ],
    [
      'f: invalid (1 warning, warnings are treated as errors)\n',
      { valid: false, findings: [{ severity: 'warning', rule: 'r', path: [], message: 'm' }] },
    ],
    [
      'f: invalid (2 errors, 1 note)\n',
      {
        valid: false,
        findings: (['error', 'info', 'error'] as const).map((severity) => ({
          severity,
          rule: 'r',
          path: [],
          message: 'm',
        })),
      },
    ],
  ])('%j', (line, report) => {
    expect(formatVerdict(report, 'f')).toBe(line);
  });
});

describe('printable', () => {
  it.each([
    ['a\u001b[0m', 'a\\u001b[0m'],
    ['line\nfeed\r\t', 'line\\nfeed\\r\\t'],
    ['\u202eabc', '\\u202eabc'],
    ['\u{e0001}', '\\u{e0001}'],
    ['é漢😀', 'é漢😀'],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
