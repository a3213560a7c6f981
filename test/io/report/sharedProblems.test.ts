/** A problem that stops many tasks is reported once, and again after it was gone. */

import { expect, it } from 'vitest';
import { CliError, type ErrorCode } from '../../../src/core/errors.ts';
import { SharedProblems } from '../../../src/io/report/sharedProblems.ts';

const errorOf = (message: string, code: ErrorCode = 'ERR_DISK_FULL'): CliError =>
  new CliError(message, { code });

it('is new for the first task only, whatever the later errors say', () => {
  const problems = new SharedProblems();
  const first = errorOf('0 bytes free');
  expect(problems.add('a', first)).toEqual({ first, isNew: true });
  expect(problems.add('a', errorOf('7 bytes free'))).toEqual({ first, isNew: false });
  expect(problems.add('b', errorOf('9 bytes free'))).toEqual({ first, isNew: false });
  expect(problems.remove('a')).toEqual(['b']);
});

it('names the tasks that may continue, and is new again after the last one', () => {
  const problems = new SharedProblems();
  problems.add('a', errorOf('full'));
  problems.add('b', errorOf('full'));
  expect(problems.remove('other')).toEqual([]);
  expect(problems.remove('a')).toEqual(['b']);
  expect(problems.add('a', errorOf('full')).isNew).toBe(false);
  expect([problems.remove('b'), problems.remove('a')]).toEqual([['a'], []]);
  expect(problems.add('a', errorOf('full')).isNew).toBe(true);
});

it('counts a task with its last problem', () => {
  const problems = new SharedProblems();
  problems.add('a', errorOf('full'));
  expect(problems.add('a', errorOf('missing', 'ERR_FILE_MISSING')).isNew).toBe(true);
  expect(problems.add('a', errorOf('full')).isNew).toBe(true);
});
