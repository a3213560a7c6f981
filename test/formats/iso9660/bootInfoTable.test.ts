/** The boot info table against that of xorriso, which does what mkisofs did. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { withBootInfoTable } from '../../../src/formats/iso9660/bootInfoTable.ts';
import { have, oracleNote } from '../../support/programs.ts';

const loader = Uint8Array.from({ length: 4003 }, (_, index) => (index * 7) & 0xff);

describe('withBootInfoTable', () => {
  it('leaves the loader and what is around the table as it is', () => {
    const bytes = fc.uint8Array({ minLength: 65, maxLength: 300 });
    fc.assert(
      fc.property(bytes, fc.nat(), (given, sector) => {
        const before = Uint8Array.from(given);
        const patched = withBootInfoTable(given, sector);
        expect(given).toEqual(before);
        expect(patched.subarray(0, 8)).toEqual(given.subarray(0, 8));
        expect(patched.subarray(64)).toEqual(given.subarray(64));
      }),
    );
  });

  it('adds up little-endian words, the last one filled up', () => {
    const given = Buffer.concat([Buffer.alloc(64, 0xff), Buffer.from('ffffffff0200000001', 'hex')]);
    const patched = Buffer.from(withBootInfoTable(given, 0x1234));
    expect(patched.toString('hex', 8, 24)).toBe('10000000341200004900000002000000');
    expect(patched.toString('hex', 24, 64)).toBe('00'.repeat(40));
  });

  it('refuses what has no room for it', () =>
    expect(() => withBootInfoTable(new Uint8Array(64), 1)).toThrow(FormatError));

  it.skipIf(!have('xorriso'))(`is that of xorriso${oracleNote('xorriso')}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'boot info '));
    mkdirSync(join(folder, 'tree'));
    writeFileSync(join(folder, 'tree/loader'), loader);
    const options = '-quiet -b loader -no-emul-boot -boot-load-size 4 -boot-info-table -o out.iso tree';
    execFileSync('xorriso', ['-as', 'mkisofs', ...options.split(' ')], { cwd: folder, stdio: 'pipe' });
    const image = readFileSync(join(folder, 'out.iso'));
    rmSync(folder, { recursive: true });
    const start = image.indexOf(Buffer.from(loader.subarray(64)));
    const written = image.subarray(start - 64, start - 64 + loader.length);
    expect(Buffer.from(withBootInfoTable(loader, written.readUInt32LE(12)))).toEqual(written);
  });
});
