/** Groups by name, as each platform has them. */

import { describe, expect, it } from 'vitest';
import { findGroup } from '../../../../src/commands/prepare/folder/userGroup.ts';

const listed = async (): Promise<string> => 'root:x:0:\nnginx:x:990:a,b\nbroken:x:y:\n';
const nothing = (): string => '';

describe('findGroup', () => {
  it.each([
    ['nginx', 990],
    ['1234', 1234],
  ])('of the system: %s', async (group, id) => {
    expect(await findGroup(group, { platform: 'linux', listed, ask: nothing })).toBe(id);
  });

  it.each([
    ['linux', 'getent group web', 'web:*:1500:\n'],
    ['darwin', 'dscacheutil -q group -a name web', 'name: web\npassword: *\ngid: 1500\nusers: a\n'],
  ] as const)('of a directory, on %s by %s', async (platform, expected, answer) => {
    const ask = (program: string, args: readonly string[]): string =>
      [program, ...args].join(' ') === expected ? answer : '';
    expect(await findGroup('web', { platform, listed, ask })).toBe(1500);
  });

  it.each(['nobody-knows', 'broken', '-x', 'a b', ''])('that are none: %j', async (group) => {
    for (const platform of ['linux', 'darwin'] as const) {
      await expect(findGroup(group, { platform, listed, ask: nothing })).rejects.toThrow('Group not found');
    }
  });

  it('are not there on Windows, not even by number', async () => {
    const source = { platform: 'win32', listed, ask: nothing } as const;
    await expect(findGroup('1234', source)).rejects.toThrow('this system does not support --group');
  });
});
