/** The console of an emulated machine in its file. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openConsoleOutput } from '../../../src/trial/console/consoleOutput.ts';
import type { Diagnostic } from '../../../src/core/finding.ts';
import { createIo } from '../../support/createIo.ts';
import { eventually } from '../../support/eventually.ts';
import { mountSmallDisk, smallDiskNote } from '../../support/smallDisk.ts';

const note = smallDiskNote();

it.skipIf(note !== '')(`a full disk is reported at once, and once${note}`, async () => {
  const disk = mountSmallDisk(64);
  try {
    const reported: Diagnostic[] = [];
    const report = (all: readonly Diagnostic[]): void => void reported.push(...all);
    const lines: string[] = [];
    const io = createIo({ cwd: disk.path, report });
    const output = await openConsoleOutput('console.log', (line) => lines.push(line), io);
    const message = /^No space left to write console\.log: .*0 bytes free in /;
    output.write(Buffer.from('x'.repeat(100_000)));
    await eventually(() =>
      expect(reported).toEqual([
        expect.objectContaining({ severity: 'warning', message: expect.stringMatching(message) }),
      ]),
    );
    output.write(Buffer.from('\nlast\n'));
    await expect(output.close()).rejects.toThrow(message);
    expect([reported.length, lines.at(-1)]).toEqual([1, 'last']);
  } finally {
    disk.remove();
  }
});

it('the file of a console has all bytes', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'console '));
  const output = await openConsoleOutput('console.log', () => undefined, createIo({ cwd }));
  for (let index = 0; index < 100; index += 1) output.write(Buffer.from(`line ${index}\u001B[0m\r\n`));
  await output.close();
  const text = readFileSync(join(cwd, 'console.log'), 'utf8');
  expect(text.split('\r\n')).toEqual([
    ...Array.from({ length: 100 }, (_, index) => `line ${index}\u001B[0m`),
    '',
  ]);
  rmSync(cwd, { recursive: true });
});
