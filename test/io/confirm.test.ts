/** Questions on the terminal. */

import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { confirm } from '../../src/io/confirm.ts';

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

describe('confirm', () => {
  it.each([
    ['y', true],
    ['Yes', true],
    ['', false],
    ['no', false],
  ])('takes the answer %j', async (answer, isYes) => {
    const io = { stdin: Readable.from([`${answer}\n`]), stderr: nowhere };
    expect(await confirm('stop', io, new AbortController().signal)).toBe(isYes);
  });

  it('asks also where only errors are printed', async () => {
    const errors = new PassThrough();
    const io = { stdin: Readable.from(['y\n']), stderr: nowhere, errors };
    await confirm('power off worker-0', io, new AbortController().signal);
    errors.end();
    expect(await text(errors)).toBe('Power off worker-0? [y/N] ');
  });
});
