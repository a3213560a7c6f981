/**
 * Trusted CA certificates as PEM. Comments between the certificates are removed, as OpenSSL skips them. Other PEM blocks
 * (especially private keys) are refused, because all users can read the resulting file.
 */

import { X509Certificate } from 'node:crypto';
import { FormatError } from '../core/errors.ts';

const BEGIN = '-----BEGIN ';
const HINT = 'use a PEM file with the CA certificate ("-----BEGIN CERTIFICATE-----")';

interface CaCertificates {
  /** The concatenated certificates, each ending in a newline. */
  readonly pem: string;
  /** Certificates that are invalid at the given time: sentences without a subject. */
  readonly warnings: readonly string[];
}

/** Parses PEM text. Throws FormatError without a subject. `now` is the time for the validity check. */
export function parseCaCertificates(text: string, now: Date): CaCertificates {
  // The text is split in one pass, because a missing END line must not cost a scan for each BEGIN line.
  const blocks = [];
  for (let start = text.indexOf(BEGIN); start !== -1; start = text.indexOf(BEGIN, start + BEGIN.length)) {
    const label = /^[A-Z0-9 ]{1,40}(?=-----)/.exec(
      text.slice(start + BEGIN.length, start + BEGIN.length + 50),
    )?.[0];
    const end = label === undefined ? -1 : text.indexOf(`-----END ${label}-----`, start);
    if (label === undefined || end === -1)
      throw new FormatError('contains a PEM block without an END line', { hint: HINT });
    blocks.push({ label, pem: `${text.slice(start, end)}-----END ${label}-----\n` });
    start = end;
  }
  const alien = blocks.find(({ label }) => label !== 'CERTIFICATE');
  if (alien !== undefined) {
    throw new FormatError(`contains a "${alien.label}", but only certificates are supported`, { hint: HINT });
  }
  if (blocks.length === 0) throw new FormatError('contains no PEM certificate', { hint: HINT });
  const certificates = blocks.map(({ pem }, index) => {
    try {
      return new X509Certificate(pem);
    } catch (cause) {
      throw new FormatError(`contains an invalid certificate (number ${index + 1})`, { hint: HINT, cause });
    }
  });
  return {
    pem: certificates.map((certificate) => certificate.toString()).join(''),
    warnings: certificates.flatMap((certificate, index) => {
      const name = `certificate ${index + 1} (${certificate.subject.replaceAll('\n', ', ')})`;
      if (now > new Date(certificate.validTo)) return [`${name} expired on ${certificate.validTo}`];
      if (now < new Date(certificate.validFrom))
        return [`${name} is not valid before ${certificate.validFrom}`];
      return [];
    }),
  };
}

/** A file with certificates as text: DER, which starts with a sequence, becomes PEM. */
export function certificateText(bytes: Uint8Array): string {
  try {
    if (bytes[0] === 0x30) return new X509Certificate(bytes).toString();
  } catch {
    // Other text may start with the same character.
  }
  return Buffer.from(bytes).toString();
}

/**
 * Why Ignition cannot read a valid file as CA certificates of its own: a clause about the file. Source: `parseCABundle` in
 * Ignition's `http.go`, and `pem.Decode` of Go, which skips text only in front of a certificate.
 */
export function findBundleProblem(text: string): string | undefined {
  return /-----END CERTIFICATE-----[ \t]*(?:\r?\n)?$/.test(text)
    ? undefined
    : 'ends with text or an empty line after the last certificate, so Ignition fetches nothing';
}
