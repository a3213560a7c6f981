/** Detached signatures: our digest and the library's verdict, with gpgv as the judge where it is installed. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { enums } from 'openpgp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliError, FormatError } from '../../src/core/errors.ts';
import {
  checkSignature,
  parseKeyring,
  parseSignatures,
  signedDigest,
  type PgpSigner,
} from '../../src/formats/openpgp.ts';
import { have, oracleNote } from '../support/programs.ts';
import { makeKey, signFile } from '../support/signing.ts';

const content = Buffer.from('an image of CoreOS\n'.repeat(1000));
const changed = Buffer.from(content).fill(0x41, 500, 501);

async function verdict(file: Uint8Array, signature: Uint8Array, keyring: Uint8Array): Promise<PgpSigner> {
  const keys = await parseKeyring(keyring);
  const [parsed] = await parseSignatures(signature);
  if (parsed === undefined) throw new Error('no signature');
  const hash = createHash(parsed.digest).update(file);
  return checkSignature(parsed, signedDigest(parsed, hash), keys);
}

/** Who signed, or why nobody did. */
async function outcome(signer: Promise<PgpSigner>): Promise<string> {
  return signer.then(
    ({ owner }) => owner,
    (error: unknown) => (error instanceof CliError ? error.message : 'a defect'),
  );
}

interface Case {
  readonly title: string;
  readonly file?: Uint8Array;
  readonly signature: Uint8Array;
  readonly keyring: Uint8Array;
  /** Undefined where it is right. */
  readonly problem?: RegExp;
}

const cases = new Map<string, Case>();
let folder: string;

function add(entry: Case): void {
  cases.set(entry.title, entry);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openpgp test '));
  const key = await makeKey();
  const rsa = await makeKey({ type: 'rsa' });
  const other = await makeKey();
  const subkey = await makeKey({ signingSubkey: true });
  const shortLived = await makeKey({ lifetime: 24 * 3600 });
  const good = await signFile(content, key);
  const expiredKey = async (date: Date): Promise<Uint8Array> => signFile(content, shortLived, { date });
  add({ title: 'EdDSA', signature: good, keyring: key.keyring });
  add({ title: 'RSA', signature: await signFile(content, rsa), keyring: rsa.keyring });
  add({
    title: 'SHA-512',
    signature: await signFile(content, key, { hash: enums.hash.sha512 }),
    keyring: key.keyring,
  });
  add({ title: 'a subkey', signature: await signFile(content, subkey), keyring: subkey.keyring });
  add({ title: 'one of two keys', signature: good, keyring: Buffer.concat([other.keyring, key.keyring]) });
  add({
    title: 'a key that expired later',
    signature: await expiredKey(new Date('2026-01-01T12:00:00Z')),
    keyring: shortLived.keyring,
  });
  add({
    title: 'a changed file',
    file: changed,
    signature: good,
    keyring: key.keyring,
    problem: /digest did not match/,
  });
  add({ title: 'another key', signature: good, keyring: other.keyring, problem: /made with another key/ });
  add({
    title: 'a changed signature',
    signature: Buffer.from(good).fill(0, good.length - 4),
    keyring: key.keyring,
    problem: /verification failed/i,
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const titles = [
  'EdDSA',
  'RSA',
  'SHA-512',
  'a subkey',
  'one of two keys',
  'a key that expired later',
  'a changed file',
  'another key',
  'a changed signature',
];

function caseOf(title: string): Case {
  const entry = cases.get(title);
  if (entry === undefined) throw new Error(`no case ${title}`);
  return entry;
}

describe('checkSignature', () => {
  it.each(titles)('%s', async (title) => {
    const { file = content, signature, keyring, problem } = caseOf(title);
    expect(await outcome(verdict(file, signature, keyring))).toMatch(problem ?? /^Test <test@example.com>$/);
  });

  describe.skipIf(!have('gpgv'))(`agrees with gpgv${oracleNote('gpgv')}`, () => {
    it.each(titles)('%s', (title) => {
      const { file = content, signature, keyring, problem } = caseOf(title);
      const paths = ['file', 'sig', 'keys.gpg'].map((name) =>
        join(folder, `${titles.indexOf(title)} ${name}`),
      );
      const [filePath = '', signaturePath = '', keyringPath = ''] = paths;
      writeFileSync(filePath, file);
      writeFileSync(signaturePath, signature);
      writeFileSync(keyringPath, keyring);
      const { status } = spawnSync('gpgv', ['--keyring', keyringPath, signaturePath, filePath]);
      expect(status === 0).toBe(problem === undefined);
    });
  });
});

describe('parseSignatures', () => {
  it.each([
    ['nothing', new Uint8Array(0)],
    ['text', Buffer.from('not found')],
    ['armor without end', Buffer.from('-----BEGIN PGP SIGNATURE-----\n\niQ==')],
  ])('%s is none', async (_title, bytes) => {
    await expect(parseSignatures(bytes)).rejects.toThrow(FormatError);
  });

  it('refuses what is cut off, at any length', async () => {
    const { signature } = caseOf('EdDSA');
    for (let length = 0; length < signature.length; length += 1) {
      await expect(parseSignatures(signature.subarray(0, length))).rejects.toThrow(FormatError);
    }
  });

  it('a changed byte never makes another file right, nor any other error than ours', async () => {
    const { signature, keyring } = caseOf('EdDSA');
    await fc.assert(
      fc.asyncProperty(fc.nat(signature.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const broken = Buffer.from(signature);
        broken[at] = (broken[at] ?? 0) ^ change;
        await expect(verdict(changed, broken, keyring)).rejects.toThrow(CliError);
      }),
      { numRuns: 100 },
    );
  });
});

describe('parseKeyring', () => {
  it('refuses text, and the keybox of GnuPG with a hint', async () => {
    await expect(parseKeyring(Buffer.from('hello'))).rejects.toThrow('it contains no OpenPGP key');
    const keybox = Buffer.concat([Buffer.alloc(8), Buffer.from('KBXf'), Buffer.alloc(20)]);
    await expect(parseKeyring(keybox)).rejects.toThrow('keybox');
  });

  it('never throws anything but FormatError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const error: unknown = await parseKeyring(bytes).catch((thrown: unknown) => thrown);
        expect(Array.isArray(error) || error instanceof FormatError).toBe(true);
      }),
      { numRuns: 80 },
    );
  });
});

function gpg(args: readonly string[]): void {
  execFileSync('gpg', ['--homedir', join(folder, 'home'), '--batch', '--quiet', ...args], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}

describe.skipIf(!have('gpg'))(`signatures of gpg${oracleNote('gpg')}`, () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'home'), { mode: 0o700 });
    writeFileSync(join(folder, 'gpg content'), content);
    gpg(['--passphrase', '', '--quick-generate-key', 'Test <test@example.com>', 'ed25519', 'sign', 'never']);
    gpg(['--armor', '--output', join(folder, 'gpg keys'), '--export']);
  });

  afterAll(() => void spawnSync('gpgconf', ['--homedir', join(folder, 'home'), '--kill', 'gpg-agent']));

  it.each([
    ['binary', ['--detach-sign'], 'Test <test@example.com>'],
    ['armored', ['--armor', '--detach-sign'], 'Test <test@example.com>'],
    ['text', ['--textmode', '--detach-sign'], 'not a signature of a binary file'],
    ['SHA-1', ['--digest-algo', 'SHA1', '--allow-weak-digest-algos', '--detach-sign'], 'too weak'],
    ['no detached one', ['--sign'], 'not a valid OpenPGP signature'],
  ] as const)('%s', async (title, args, problem) => {
    const path = join(folder, `${title} sig`);
    gpg(['--output', path, ...args, join(folder, 'gpg content')]);
    const result = verdict(content, readFileSync(path), readFileSync(join(folder, 'gpg keys')));
    expect(await outcome(result)).toContain(problem);
  });
});
