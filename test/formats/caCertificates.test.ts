import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCaCertificates } from '../../src/formats/caCertificates.ts';
import { FormatError } from '../../src/core/errors.ts';

const read = (name: string): string =>
  readFileSync(new URL(`../support/certificates/${name}`, import.meta.url), 'utf8');
const valid = read('test-ca.pem'); // 2020 to 2120
const expired = read('expired-ca.pem'); // 2020 to 2021
const now = new Date('2026-01-01T00:00:00Z');

describe('parseCaCertificates', () => {
  it.each([
    ['one', valid, valid],
    ['with CRLF', valid.replaceAll('\n', '\r\n'), valid],
    ['without a final newline', valid.trimEnd(), valid],
    ['with comments around', `subject=Test\n${valid}# end\n`, valid],
    ['two', valid + valid, valid + valid],
  ])('keeps the certificates alone: %s', (_title, text, pem) => {
    expect(parseCaCertificates(text, now)).toEqual({ pem, warnings: [] });
  });

  it.each([
    [
      'expired',
      valid + expired,
      now,
      'certificate 2 (CN=Old CA, O=Example) expired on Jan  1 00:00:00 2021 GMT',
    ],
    [
      'not valid yet',
      valid,
      new Date('2019-01-01T00:00:00Z'),
      'certificate 1 (CN=Test CA, O=Example) is not valid before Jan  1 00:00:00 2020 GMT',
    ],
  ])('warns where one is %s', (_title, text, time, warning) => {
    expect(parseCaCertificates(text, time).warnings).toEqual([warning]);
  });

  it.each([
    ['nothing', '', 'contains no PEM certificate'],
    ['DER', '0\u0082\u0001', 'contains no PEM certificate'],
    [
      'a private key beside it',
      `${valid}-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n`,
      'PRIVATE KEY',
    ],
    ['a broken certificate', valid.replace('MII', 'MIA'), 'invalid certificate (number 1)'],
    ['a cut one', valid.slice(0, 200), 'without an END line'],
    ['a strange label', '-----BEGIN x-----\n', 'without an END line'],
  ])('refuses %s', (_title, text, message) => {
    expect(() => parseCaCertificates(text, now)).toThrow(message);
  });

  it('takes time in proportion to the length of hostile text', () => {
    const text = '-----BEGIN CERTIFICATE-----\n'.repeat(30_000);
    expect(() => parseCaCertificates(text, now)).toThrow(FormatError);
  });

  it('accepts or refuses any text', () => {
    const piece = fc.oneof(
      fc.constantFrom('-----BEGIN ', 'CERTIFICATE-----', '-----END ', valid),
      fc.string(),
    );
    expect(() => fc.assert(fc.property(fc.array(piece), isJudged))).not.toThrow();
  });
});

function isJudged(pieces: readonly string[]): boolean {
  try {
    return parseCaCertificates(pieces.join(''), now).pem !== '';
  } catch (error) {
    return error instanceof FormatError;
  }
}
