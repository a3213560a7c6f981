/** Certificates of authorities, in PEM or DER. */

import { X509Certificate } from 'node:crypto';
import { refuseOther } from './contentKind.ts';

/**
 * As PEM.
 * @throws CliError for content of another type
 */
export async function readCertificates(bytes: Uint8Array, file: string): Promise<string> {
  const isBinary = bytes[0] === 0x30; // a sequence in DER
  const pem = isBinary ? pemOfDer(bytes) : undefined;
  if (pem !== undefined) return pem;
  const text = Buffer.from(bytes).toString('utf8');
  const hasKinds = /^apiVersion:/m.test(text);
  if (hasKinds || (!isBinary && !text.includes('-----BEGIN ')))
    await refuseOther('a PEM certificate', file, bytes);
  return text;
}

/** Undefined for anything else than a certificate in DER. */
function pemOfDer(bytes: Uint8Array): string | undefined {
  try {
    return new X509Certificate(bytes).toString();
  } catch {
    return undefined;
  }
}
