import { describe, expect, it } from 'vitest';
import { formatRemark, type Remark } from '../../../src/io/report/remark.ts';

describe('formatRemark', () => {
  it.each<[string, Remark, string]>([
    ['a message', { severity: 'warning', message: 'm' }, 'warning: m\n'],
    ['a hint', { severity: 'error', message: 'm', hint: 'h' }, 'error: m\nhint: h\n'],
    [
      'what terminals would obey',
      { severity: 'error', message: 'a\u001b[31m\nb' },
      'error: a\\u001b[31m\\nb\n',
    ],
  ])('writes %s', (_title, remark, text) => {
    expect(formatRemark(remark)).toBe(text);
  });
});
