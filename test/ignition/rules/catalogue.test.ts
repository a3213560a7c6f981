import { describe, expect, it } from 'vitest';
import { allRules } from '../../support/ignitionRules.ts';

describe('the catalogue of rules', () => {
  it('has every id once', () => {
    const ids = allRules.map(({ rule }) => rule);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('path-relative');
  });

  it.each(allRules.map((rule) => [rule.rule, rule] as const))(
    '%s is named, worded and hinted at',
    (id, rule) => {
      expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)+$/);
      expect(['error', 'warning', 'info']).toContain(rule.severity);
      expect(rule.message).not.toBe('');
      expect(rule.hint).toMatch(/^[a-z].*[^.]$/);
    },
  );
});
