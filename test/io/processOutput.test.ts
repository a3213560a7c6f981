import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { directOutput } from '../../src/io/stdout.ts';

const folder = mkdtempSync(join(tmpdir(), 'process output '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function withFile<T>(flags: string, use: (fd: number) => T): T {
  const fd = openSync(join(folder, 'output'), flags);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

describe('directOutput', () => {
  it('writes texts and bytes at once, in order', () => {
    withFile('w', (fd) => {
      const output = directOutput(fd);
      output.write('one, …');
      output.write(Buffer.from(' two'));
    });
    expect(readFileSync(join(folder, 'output'), 'utf8')).toBe('one, … two');
  });

  it('calls back once it is written, and not before it returns', async () => {
    const calls: unknown[] = [];
    withFile('w', (fd) => directOutput(fd).write('x', (error) => calls.push(error)));
    expect(calls).toEqual([]);
    await new Promise(setImmediate);
    expect(calls).toEqual([null]);
  });

  it('gives an error to who waits for the write', async () => {
    const error = await new Promise((resolve) => {
      withFile('r', (fd) => directOutput(fd).write('x', resolve));
    });
    expect(error).toMatchObject({ code: 'EBADF' });
  });

  it('does not let messages that cannot be written end the program', () => {
    expect(withFile('r', (fd) => directOutput(fd).write('x'))).toBe(true);
  });

  it('is no terminal', () => {
    expect(withFile('w', (fd) => directOutput(fd).isTTY)).toBeUndefined();
  });
});
