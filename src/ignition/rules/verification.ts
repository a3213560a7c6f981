/** The hash that fetched contents must have. */

import type { Verification } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { isSince } from '../versions.ts';
import type { SpecVersion } from '../versions.ts';
import { found, issue, refusal } from './declare.ts';

export const verificationRules = {
  malformed: refusal(
    'hash-malformed',
    'malformed hash specifier',
    'write the function, a dash and the sum: sha512-HEX, or sha256-HEX since 3.1.0',
  ),
  unrecognized: refusal(
    'hash-unrecognized',
    'unrecognized hash function',
    'use sha512, or sha256 since 3.1.0, in lower case',
  ),
  wrongSize: refusal(
    'hash-size',
    'incorrect size for hash sum',
    'write the whole sum: 128 hexadecimal digits for sha512, 64 for sha256',
  ),
};

export const checkVerification: Check<Verification> = ({ hash }, version) =>
  hash === undefined ? [] : found(hashIssue(hash, version));

function hashIssue(hash: string, version: SpecVersion): Issue | undefined {
  const at = ['hash'];
  const dash = hash.indexOf('-');
  if (dash === -1) return issue(verificationRules.malformed, at);
  const digits = sumLength(hash.slice(0, dash), version);
  if (digits === undefined) return issue(verificationRules.unrecognized, at);
  const length = Buffer.byteLength(hash.slice(dash + 1));
  if (length === digits) return undefined;
  return issue(
    verificationRules.wrongSize,
    at,
    `write the whole sum: it has ${digits} digits, not ${length}`,
  );
}

/** Hexadecimal digits of a sum; nobody checks that they are such digits. */
function sumLength(hashFunction: string, version: SpecVersion): number | undefined {
  if (hashFunction === 'sha512') return 128;
  return hashFunction === 'sha256' && isSince(version, '3.1.0') ? 64 : undefined;
}
