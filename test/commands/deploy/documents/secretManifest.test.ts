import { describe, expect, it } from 'vitest';
import { checkSecret, secretManifest } from '../../../../src/commands/deploy/documents/bareMetalHost.ts';

describe('the size of a Secret', () => {
  it.each([
    ['small', 1000, []],
    ['too large for the annotation of kubectl apply', 256 * 1024, ['secret-apply-size']],
    ['the most', 1024 * 1024, ['secret-apply-size']],
    ['too large', 1024 * 1024 + 1, ['secret-size']],
  ])('%s', (_title, bytes, rules) => {
    const issues = checkSecret(secretManifest({ name: 'worker-user-data' }, { userData: 'x'.repeat(bytes) }));
    expect(issues.map(({ rule }) => rule)).toEqual(rules);
    for (const { message = '' } of issues) expect(message).not.toContain('xxx');
  });
});
