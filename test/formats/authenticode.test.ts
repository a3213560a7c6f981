import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { readSigners } from '../../src/formats/authenticode.ts';
import { efiProgram, signature } from '../support/fatImage.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';
import { refusesTruncation, survivesBitFlips } from './damage.ts';

const [one, other] = ['A signer, of loaders', 'Another'].map((name) => signature(name));

const decode = (bytes: Uint8Array) => readSigners(Buffer.from(bytes));

describe('readSigners', () => {
  it.each<[title: string, program: Buffer, signers: string[]]>([
    ['no signer', efiProgram(), []],
    ['one signer', efiProgram(one!), ['A signer, of loaders']],
    ['an organization', efiProgram(signature('SnakeOil', 'organizationName')), ['SnakeOil']],
    ['a country alone', efiProgram(signature('US', 'countryName')), ['a signer without a name']],
    ['a signer for each signature', efiProgram(one!, other!), ['A signer, of loaders', 'Another']],
  ])('finds %s', async (_title, program, signers) => {
    expect(await readSigners(program)).toEqual(signers);
  });

  it.skipIf(!have('sbverify')).each(['shimx64.efi', 'grubx64.efi'])(
    `names the signers of %s as sbverify does${oracleNote('sbverify')}`,
    async (name) => {
      const path = oracleFile(name);
      const listed = execFileSync('sbverify', ['--list', path], { encoding: 'utf8' });
      // After each heading the certificate of the signer comes first.
      const subjects = Array.from(
        listed.matchAll(/^image signature certificates:\n - subject: .*\/CN=([^/\n]+)/gm),
        ([, subject]) => subject,
      );
      expect(await readSigners(readFileSync(path))).toEqual(subjects);
      expect(subjects).not.toEqual([]);
    },
  );

  it.each<[title: string, program: Buffer]>([
    ['no program', Buffer.alloc(4096)],
    ['an empty file', Buffer.alloc(0)],
    ['a signature of no bytes', efiProgram(Buffer.alloc(0))],
    ['a signature that is not DER', efiProgram(Buffer.from('{"signer": "me"}'))],
    ['another structure in DER', efiProgram(Buffer.from('3003020101', 'hex'))],
    ['a sequence that is nested without an end', efiProgram(Buffer.alloc(100_000, '3080', 'hex'))],
  ])('refuses %s', async (_title, program) => {
    await expect(readSigners(program)).rejects.toThrow(FormatError);
  });

  it('survives damage', async () => {
    const sound = efiProgram(one!);
    await expect(refusesTruncation(sound, decode)).resolves.toBeUndefined();
    await expect(survivesBitFlips(sound, decode)).resolves.toBeUndefined();
  });
});
