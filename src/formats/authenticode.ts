/**
 * The signers of a program for UEFI, as its signatures name them (Microsoft, "Windows Authenticode Portable Executable Signature
 * Format"). Nothing is verified: that is the work of the firmware, with its own keys.
 */

import type forge from 'node-forge';
import { FormatError } from '../core/errors.ts';

/** Of the data directories of a program. */
const CERTIFICATES = 4;
const PKCS_SIGNED_DATA = 2;
/** The common name, or else the organization or a part of it, such as in the test key of OVMF (RFC 5280, appendix A). */
const NAMES = ['2.5.4.3', '2.5.4.10', '2.5.4.11'];

/**
 * The names of the signers, in the order of the signatures; empty for a program that is not signed.
 * @throws FormatError for anything but a program, and for damaged signatures
 */
export async function readSigners(program: Buffer): Promise<string[]> {
  try {
    const { asn1 } = (await import('node-forge')).default;
    return signaturesOf(program).map((der) =>
      signerOf(asn1.fromDer(withoutPadding(der).toString('latin1')), asn1),
    );
  } catch (error) {
    throw new FormatError('the program or its signature is damaged', { cause: error });
  }
}

/** The signatures, in DER. Throws RangeError if an offset is outside of the program. */
function signaturesOf(program: Buffer): Buffer[] {
  const header = program.readUInt32LE(0x3c);
  if (program.toString('latin1', header, header + 4) !== 'PE\0\0') throw new RangeError('no PE header');
  const optional = header + 24;
  const directories = optional + (program.readUInt16LE(optional) === 0x20b ? 112 : 96);
  const start = program.readUInt32LE(directories + CERTIFICATES * 8);
  const end = start + program.readUInt32LE(directories + CERTIFICATES * 8 + 4);
  if (end > program.length) throw new RangeError('the certificate table is outside of the program');
  const found: Buffer[] = [];
  for (let offset = start; offset + 8 <= end;) {
    const length = program.readUInt32LE(offset);
    if (length < 8 || offset + length > end)
      throw new RangeError('an entry is outside of the certificate table');
    if (program.readUInt16LE(offset + 6) === PKCS_SIGNED_DATA) {
      found.push(program.subarray(offset + 8, offset + length));
    }
    offset += Math.ceil(length / 8) * 8;
  }
  return found;
}

/** Some entries count the padding behind the signature. Its length is in up to six bytes. */
function withoutPadding(der: Buffer): Buffer {
  const digits = Math.min(6, der.readUInt8(1) - 0x80);
  return digits <= 0 ? der : der.subarray(0, 2 + digits + der.readUIntBE(2, digits));
}

/** PKCS #7: the certificate with the serial number that the first signer names. */
function signerOf(content: forge.asn1.Asn1, asn1: typeof forge.asn1): string {
  const signed = childrenOf(childrenOf(content)[1])[0];
  const parts = childrenOf(signed);
  const certificates = parts.find(({ tagClass }) => tagClass === asn1.Class.CONTEXT_SPECIFIC); // [0]; [1] has revocation lists
  const [, issuerAndSerial] = childrenOf(childrenOf(parts.at(-1))[0]);
  const serial = childrenOf(issuerAndSerial)[1]?.value;
  for (const certificate of childrenOf(certificates)) {
    const fields = childrenOf(childrenOf(certificate)[0]);
    const index = fields.findIndex(({ type, value }) => type === asn1.Type.INTEGER && value === serial);
    // Behind the serial number: algorithm, issuer, validity and subject (RFC 5280, section 4.1).
    if (index >= 0) return nameOf(fields[index + 4], asn1);
  }
  throw new RangeError('the certificate of the signer is missing');
}

/** Not by Node's X509Certificate: with some damaged ones, its `toLegacyObject` ends a process of Node 24. */
function nameOf(subject: forge.asn1.Asn1 | undefined, asn1: typeof forge.asn1): string {
  const attributes = childrenOf(subject).flatMap(childrenOf).map(childrenOf);
  const names = NAMES.flatMap((wanted) =>
    attributes.filter(([type]) => typeof type?.value === 'string' && asn1.derToOid(type.value) === wanted),
  );
  const [, name] = names[0] ?? [];
  if (name === undefined) return 'a signer without a name';
  if (typeof name.value !== 'string') throw new RangeError('the name of the signer is no text');
  const isDecoded = name.type === asn1.Type.BMPSTRING;
  return isDecoded ? name.value : Buffer.from(name.value, 'latin1').toString('utf8');
}

function childrenOf(node: forge.asn1.Asn1 | undefined): forge.asn1.Asn1[] {
  if (node !== undefined && Array.isArray(node.value)) return node.value;
  throw new RangeError('a sequence is missing');
}
