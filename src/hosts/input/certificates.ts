/** Certificates of authorities, in PEM or DER. */

import { certificateText } from '../../formats/caCertificates.ts';
import { refuseOther } from './contentKind.ts';

/**
 * As PEM.
 * @throws CliError for content of another type
 */
export async function readCertificates(bytes: Uint8Array, file: string): Promise<string> {
  const text = certificateText(bytes);
  const mayBeCertificate = bytes[0] === 0x30 || text.includes('-----BEGIN ');
  if (!mayBeCertificate || /^apiVersion:/m.test(text)) await refuseOther('a PEM certificate', file, bytes);
  return text;
}
