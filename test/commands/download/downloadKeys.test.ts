/** Where keys come from, and which are trusted. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPackageKeys, readTrustedKeys } from '../../../src/commands/download/downloadKeys.ts';
import { type DetachedSignature, isIssuer, parseSignatures } from '../../../src/formats/openpgp.ts';
import { makeKey, signFile } from '../../support/signing.ts';
import { createIo } from '../../support/createIo.ts';

let folder: string;
let keyring: Uint8Array;
let signature: DetachedSignature;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keys test '));
  const key = await makeKey();
  ({ keyring } = key);
  const [parsed] = await parseSignatures(await signFile(Buffer.from('x'), key));
  if (parsed === undefined) throw new Error('no signature');
  signature = parsed;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const found = async (name?: string): Promise<number> =>
  (await readTrustedKeys(name, createIo({ cwd: folder }))).filter((key) => isIssuer(key, signature)).length;

it('the keys of the package are those of Red Hat and of current releases of Fedora, and no others', async () => {
  const keys = await readPackageKeys();
  expect(keys.map((key) => [key.getFingerprint(), key.getUserIDs()[0]?.replace(/ <.*/, '')])).toEqual([
    ['567e347ad0044ade55ba8a5f199e2f91fd431d51', 'Red Hat, Inc. (release key 2)'],
    ['c6e7f081cf80e13146676e88829b606631645531', 'Fedora (43)'],
    ['36f612dcf27f7d1a48a835e4dbfcf71c6d9f90a6', 'Fedora (44)'],
    ['4f50a6114cd5c6976a7f1179655a4b02f577861e', 'Fedora (45)'],
    ['d924b10d3e810dabdd8b56b596e7e91491211fce', 'Fedora (46)'],
  ]);
});

describe('the trusted keys', () => {
  it('are those of the package', async () => {
    expect(await readTrustedKeys(undefined, createIo({}))).toHaveLength((await readPackageKeys()).length);
    expect(await found()).toBe(0);
  });

  it('are those of a keyring that the user names, and no others', async () => {
    writeFileSync(join(folder, 'mine'), keyring);
    writeFileSync(join(folder, 'other'), (await makeKey()).keyring);
    expect(await found('mine')).toBe(1);
    expect(await found('other')).toBe(0);
  });

  it.each([
    ['is not there', 'none', 'Keyring not found'],
    ['holds no key', 'text', 'is not a valid keyring'],
  ])('a keyring that %s is an error', async (_title, name, message) => {
    writeFileSync(join(folder, 'text'), 'hello');
    await expect(found(name)).rejects.toThrow(message);
  });
});
