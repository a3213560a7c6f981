/**
 * The certificate authorities to trust, as PEM. Comments between the certificates are dropped, as OpenSSL skips them;
 * anything else that is PEM (a private key above all) is refused, since the result can be read by everybody.
 */

import { X509Certificate } from 'node:crypto';
import { FormatError } from '../core/errors.ts';

const begin = '-----BEGIN ';
const hint = 'give a PEM file with the certificate of the authority, "-----BEGIN CERTIFICATE-----" and so on';

interface CaCertificates {
  /** The certificates alone, one after the other, each ending in a newline. */
  readonly pem: string;
  /** What does not look right at the given time: sentences without a subject. */
  readonly warnings: readonly string[];
}

/** Reads PEM text at the time `now`. Throws a FormatError whose message has no subject. */
export function parseCaCertificates(text: string, now: Date): CaCertificates {
  const blocks = splitPem(text);
  const alien = blocks.find(({ label }) => label !== 'CERTIFICATE');
  if (alien !== undefined) {
    throw new FormatError(`holds a "${alien.label}", and only certificates may be in it`, { hint });
  }
  if (blocks.length === 0) throw new FormatError('holds no PEM certificate', { hint });
  const certificates = blocks.map(({ pem }, index) => parseCertificate(pem, index + 1));
  return {
    pem: certificates.map((certificate) => certificate.toString()).join(''),
    warnings: certificates.flatMap((certificate, index) => checkValidity(certificate, index + 1, now)),
  };
}

/** Everything between a BEGIN line and its END line; in one pass, since a missing END must not cost a scan each time. */
function splitPem(text: string): { label: string; pem: string }[] {
  const blocks = [];
  for (let start = text.indexOf(begin); start !== -1; start = text.indexOf(begin, start + begin.length)) {
    const label = /^[A-Z0-9 ]{1,40}(?=-----)/.exec(
      text.slice(start + begin.length, start + begin.length + 50),
    )?.[0];
    const end = label === undefined ? -1 : text.indexOf(`-----END ${label}-----`, start);
    if (label === undefined || end === -1)
      throw new FormatError('holds a PEM block without an end', { hint });
    blocks.push({ label, pem: `${text.slice(start, end)}-----END ${label}-----\n` });
    start = end;
  }
  return blocks;
}

function parseCertificate(pem: string, ordinal: number): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new FormatError(`holds a broken certificate (number ${ordinal})`, { hint, cause });
  }
}

function checkValidity(certificate: X509Certificate, ordinal: number, now: Date): string[] {
  const name = `certificate ${ordinal} (${certificate.subject.replaceAll('\n', ', ')})`;
  if (now > new Date(certificate.validTo)) return [`${name} has expired on ${certificate.validTo}`];
  if (now < new Date(certificate.validFrom)) return [`${name} is not valid before ${certificate.validFrom}`];
  return [];
}
