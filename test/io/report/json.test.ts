import { describe, expect, it } from 'vitest';
import type { Finding, Report } from '../../../src/core/finding.ts';
import { githubReporter } from '../../../src/io/report/annotations.ts';
import { formatJsonReport } from '../../../src/io/report/reporter.ts';
import { formatTextReport } from '../../support/textReport.ts';

describe('formatJsonReport', () => {
  it('is one object on one line', () => {
    const report: Report = {
      valid: false,
      findings: [
        {
          severity: 'error',
          rule: 'a',
          path: ['x', 0, 'y'],
          message: 'm\n',
          hint: 'h',
          position: { line: 1, column: 2 },
        },
        { severity: 'warning', rule: 'b', path: [], message: 'n' },
      ],
    };
    const text = formatJsonReport(report, 'f.ign');
    expect(text.indexOf('\n')).toBe(text.length - 1);
    expect(JSON.parse(text)).toEqual({
      file: 'f.ign',
      valid: false,
      messages: [
        { severity: 'error', path: '$.x.0.y', line: 1, column: 2, rule: 'a', message: 'm\n', hint: 'h' },
        { severity: 'warning', path: '$', line: null, column: null, rule: 'b', message: 'n', hint: null },
      ],
    });
  });
});

/** The same long text in 1,000 findings, as for the options of a section with a long name. */
describe.each<[string, Partial<Finding>]>([
  ['message', { message: 'x'.repeat(100_000) }],
  ['hint', { hint: 'x'.repeat(100_000) }],
  ['path', { path: ['x'.repeat(100_000)] }],
])('a long %s is shortened', (_title, long) => {
  const finding: Finding = { severity: 'error', rule: 'a', path: [], message: 'm', hint: 'h', ...long };
  const report: Report = { valid: false, findings: Array.from({ length: 1000 }, () => finding) };
  const file = { file: 'f.ign', report, bytes: Buffer.from('{}') };
  it.each([
    ['JSON', () => formatJsonReport(report, 'f.ign')],
    ['text', () => formatTextReport(report, { name: 'f.ign', bytes: file.bytes })],
    ['annotations of GitHub', () => githubReporter.add(file).stdout],
  ])('in %s', (_form, format) => {
    const text = format();
    expect(text).toContain('x'.repeat(1000));
    expect(text.length).toBeLessThan(3_000_000);
  });
});
