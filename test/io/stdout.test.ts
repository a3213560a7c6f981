import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Output } from '../../src/io/io.ts';
import { refuseTerminal, writeStdout } from '../../src/io/stdout.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Takes `accepted` chunks and then fails. */
function failingAfter(accepted: number, code: string): { stdout: Output; taken: () => number } {
  let taken = 0;
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      if (taken === accepted) return done(failure(code));
      taken++;
      setImmediate(done);
    },
  });
  return { stdout, taken: () => taken };
}

function* counted(count: number, seen: { value: number }): Generator<Uint8Array> {
  for (; seen.value < count; seen.value++) yield new Uint8Array(100);
}

describe('writeStdout', () => {
  it('ends quietly when the reader goes away, and asks for no more data', async () => {
    const { stdout, taken } = failingAfter(2, 'EPIPE');
    const seen = { value: 0 };
    await writeStdout({ stdout }, counted(1000, seen));
    expect(taken()).toBe(2);
    expect(seen.value).toBeLessThan(5);
  });

  it.each([
    ['ENOSPC', 'No space left on device', 'ERR_DISK_FULL'],
    ['EDQUOT', '', 'ERR_DISK_FULL'],
    ['EIO', 'I/O error', 'ERR_FILE_WRITE'],
  ])('reports %s', async (system, text, code) => {
    const { stdout } = failingAfter(1, system);
    const written = writeStdout({ stdout }, counted(5, { value: 0 }));
    await expect(written).rejects.toThrow(`cannot write to standard output: ${text}`);
    await expect(written).rejects.toMatchObject({ code });
  });

  it('leaves no listener behind, whatever happened', async () => {
    const { stdout } = failingAfter(2, 'ENOSPC');
    await writeStdout({ stdout }, counted(1, { value: 0 }));
    await expect(writeStdout({ stdout }, counted(5, { value: 0 }))).rejects.toThrow('No space left');
    expect(stdout.listenerCount('error')).toBe(0);
  });
});

const refuse =
  (properties: object): (() => void) =>
  () =>
    refuseTerminal({ stdout: Object.assign(new Writable(), properties) });

describe('refuseTerminal', () => {
  it('refuses a terminal, and nothing else', () => {
    expect(refuse({ isTTY: true })).toThrow('Refusing to write binary data to terminal');
    expect(refuse({ isTTY: false })).not.toThrow();
    expect(refuse({})).not.toThrow();
  });
});
