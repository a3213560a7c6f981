/**
 * Creates a certificate authority and a server certificate for each run. Private keys stay in memory, and the key of the
 * authority is discarded immediately. The certificates use RSA, which all clients support, and all extensions that strict
 * verifiers require (RFC 5280). The certificate library is loaded only when it is needed.
 */

import { quoteText } from '../../core/foreignText.ts';
import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type forge from 'node-forge';
import { UsageError } from '../../core/errors.ts';
import { type Host, parseHost } from '../../formats/hostName.ts';
import type { TlsMaterial } from '../../http/server/tlsFiles.ts';

export type CreatedCertificates = Readonly<Awaited<ReturnType<typeof createCertificates>>>;

const KEY_BITS = 2048;
/** Hours before and after the current time. The clock of a machine may be incorrect after power-on. */
const VALIDITY = { before: 1, after: 7 * 24 };
/** Milliseconds. */
const HOUR = 3_600_000;

/**
 * @param names host names and addresses of the server
 * @throws UsageError for an invalid name
 */
export async function createCertificates(names: readonly string[], now = new Date()) {
  const hosts = [...new Set(names)].map((text) => {
    const host = parseCertified(text);
    if (host.kind !== 'invalid') return host;
    throw new UsageError(`${quoteText(text)} is not valid in a certificate: ${host.problem}`, {
      hint: 'use names and addresses at which machines reach this one',
    });
  });
  const { md, pki } = (await import('node-forge')).default;
  const validity = {
    notBefore: new Date(now.getTime() - VALIDITY.before * HOUR),
    notAfter: new Date(now.getTime() + VALIDITY.after * HOUR),
  };
  /** @param issuer undefined for a certificate authority, which issues its own certificate */
  const issue = async (extensions: readonly object[], issuer?: Issued): Promise<Issued> => {
    // Node.js is about 100 times as fast as JavaScript.
    const keys = await promisify(generateKeyPair)('rsa', {
      modulusLength: KEY_BITS,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const certificate = pki.createCertificate();
    certificate.publicKey = pki.publicKeyFromPem(keys.publicKey);
    // A positive number of less than 20 octets.
    certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
    Object.assign(certificate.validity, validity);
    const name =
      issuer === undefined ? `ironic-coreos ${certificate.serialNumber.slice(0, 8)}` : 'ironic-coreos';
    certificate.setSubject([{ name: 'commonName', value: name }]);
    certificate.setIssuer((issuer?.certificate ?? certificate).subject.attributes);
    certificate.setExtensions(extensions.map((extension) => ({ ...extension }))); // the library changes them
    certificate.sign(pki.privateKeyFromPem(issuer?.key ?? keys.privateKey), md.sha256.create());
    const pem = pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
    return { certificate, pem, key: keys.privateKey };
  };
  const authority = await issue(authorityExtensions);
  const { key, pem: cert } = await issue(serverExtensions(authority, hosts), authority);
  const tls: TlsMaterial = {
    context: { cert, key, minVersion: 'TLSv1.2' },
    certificate: new X509Certificate(cert),
  };
  /** PEM of the certificate authority, for clients. */
  const ca = authority.pem;
  return { ca, tls };
}

interface Issued {
  readonly certificate: forge.pki.Certificate;
  /** Its PEM with LF line endings. */
  readonly pem: string;
  /** PEM. */
  readonly key: string;
}

export function isValidCertificateName(text: string): boolean {
  return parseCertified(text).kind !== 'invalid';
}

/** Also accepts underscores. They are invalid in host names, but name servers and clients support them. */
function parseCertified(text: string): Host {
  const host = parseHost(text.replaceAll('_', 'u'));
  return host.kind === 'name' ? { ...host, name: text } : host;
}

type ValidHost = Exclude<Host, { kind: 'invalid' }>;

const authorityExtensions = [
  { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
  { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
  { name: 'subjectKeyIdentifier' },
];

function serverExtensions({ certificate }: Issued, hosts: readonly ValidHost[]): object[] {
  const keyIdentifier = certificate.generateSubjectKeyIdentifier().getBytes();
  return [
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectKeyIdentifier' },
    { name: 'authorityKeyIdentifier', keyIdentifier },
    // Types of RFC 5280: 2 is a DNS name, 7 an IP address.
    {
      name: 'subjectAltName',
      altNames: hosts.map((host) =>
        host.kind === 'name' ? { type: 2, value: host.name } : { type: 7, ip: host.address },
      ),
    },
  ];
}
