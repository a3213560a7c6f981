/** Groups by name and by number. */

import { describe, expect, it } from 'vitest';
import { findGroup } from '../../../../src/commands/prepare/folder/userGroup.ts';

describe('findGroup', () => {
  it.each([
    ['root', 0],
    ['1234', 1234],
  ])('of the system: %s', (group, id) => {
    expect(findGroup(group)).toBe(id);
  });

  it.each(['unknown-group', '-x', 'a b', 'a:b', 'root\n', ''])('that are none: %j', (group) => {
    expect(() => findGroup(group)).toThrow('Group not found');
  });

  it('are not there on Windows, not even by number', () => {
    expect(() => findGroup('1234', 'win32')).toThrow('this system does not support --group');
  });
});
