import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/core/finding.ts';
import { formatJsonReport } from '../../../src/io/report/reporter.ts';

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
