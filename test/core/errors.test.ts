import { describe, expect, it } from 'vitest';
import { CliError, type ErrorContext, FormatError, located, UsageError } from '../../src/core/errors.ts';

const at = { file: 'ramdisk.yaml', line: 2 };
const damaged = new FormatError('is damaged', { position: { line: 3, column: 4 } });
const full = new FormatError('has no room', { code: 'ERR_IMAGE_SPACE', hint: 'use --grow' });
const missing = new CliError('Key not found', { code: 'ERR_FILE_MISSING' });
const placed = new CliError('Key not found', { code: 'ERR_FILE_MISSING', at: { file: 'other.yaml' } });

const failWith = (error: Error) => (): never => {
  throw error;
};

describe('located', () => {
  it.each<[string, Error, ErrorContext, object]>([
    [
      'a FormatError gets the subject, the place and the hint',
      damaged,
      { subject: 'a.iso:', at, hint: 'download it again' },
      {
        message: 'ramdisk.yaml:2: a.iso: is damaged at line 3, column 4',
        code: 'ERR_FORMAT',
        hint: 'download it again',
      },
    ],
    [
      'a FormatError in a text file gets the file and its position there, in place of the place that names the file',
      damaged,
      { file: 'eth0.yaml', at, code: 'ERR_INVENTORY' },
      {
        message: 'eth0.yaml:3:4: is damaged',
        sentence: 'is damaged',
        at: { file: 'eth0.yaml', line: 3, column: 4 },
        code: 'ERR_INVENTORY',
      },
    ],
    ['a code', damaged, { subject: 'a.iso:', code: 'ERR_IMAGE' }, { code: 'ERR_IMAGE' }],
    [
      'it keeps a code and a hint of its own',
      full,
      { subject: 'a.iso:', code: 'ERR_IMAGE', hint: 'download it again' },
      { message: 'a.iso: has no room', code: 'ERR_IMAGE_SPACE', hint: 'use --grow' },
    ],
    [
      'another error gets the place only',
      missing,
      { subject: '--key', at },
      { sentence: missing.message, at },
    ],
    ['an error with a place stays as it is', placed, { subject: '--key', at }, { at: placed.at }],
    ['without a context, nothing changes', damaged, {}, { message: damaged.message }],
    ['defects are not errors of users', new TypeError('x'), { subject: '--key', at }, { message: 'x' }],
  ])('%s', async (_title, error, context, expected) => {
    expect(() => located(context, failWith(error))).toThrow(expect.objectContaining(expected));
    await expect(located(context, async () => failWith(error)())).rejects.toMatchObject(expected);
  });

  it('makes usage errors of invalid values, and keeps them', () => {
    expect(() => located({ subject: '--key', code: 'ERR_USAGE' }, failWith(damaged))).toThrow(UsageError);
    expect(() => located({ at }, failWith(new UsageError('wrong')))).toThrow(UsageError);
  });

  it('returns what was read', async () => {
    expect(located({}, () => 1)).toBe(1);
    expect(await located({}, async () => 2)).toBe(2);
  });
});
