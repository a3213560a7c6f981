/**
 * Certificates for a service that runs for hours: an authority and a certificate of it, made anew for each run. Private
 * keys stay in memory, and that of the authority is forgotten at once. RSA, which every client knows, with all that
 * strict verifiers ask for (RFC 5280). What makes them is loaded when it is needed.
 */

import { generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type forge from 'node-forge';
import { UsageError } from '../../core/errors.ts';
import { type Host, parseHost } from '../../formats/hostName.ts';
import type { TlsMaterial } from '../../serve/http/tlsFiles.ts';

export interface MadeCertificates {
  /** PEM of the authority, for those who shall trust the service. */
  readonly ca: string;
  readonly tls: TlsMaterial;
}

const KEY_BITS = 2048;
/** Hours before now and after it. Clocks of machines that have just been switched on may be wrong. */
const VALIDITY = { before: 1, after: 7 * 24 };

/**
 * @param names host names and addresses by which clients reach the service
 * @throws UsageError where one of them is none
 */
export async function makeCertificates(
  names: readonly string[],
  now = new Date(),
): Promise<MadeCertificates> {
  const hosts = [...new Set(names)].map(parseName);
  const { default: library } = await import('node-forge');
  const maker = { library, validity: validityAround(now) };
  const authority = await makeAuthority(maker);
  const { certificate, key } = await makeServerCertificate(maker, { authority, hosts });
  const { validTo, fingerprint256 } = new X509Certificate(certificate);
  return {
    ca: formatPem(maker, authority.certificate),
    tls: {
      context: { cert: certificate, key, minVersion: 'TLSv1.2' },
      expires: new Date(validTo),
      fingerprint: fingerprint256,
      stamp: fingerprint256,
    },
  };
}

/** Whether a certificate can be for this name or address. */
export function isCertifiable(text: string): boolean {
  return parseCertified(text).kind !== 'invalid';
}

/** By the book no host name has underscores; name servers have some, and clients compare them as any other. */
function parseCertified(text: string): Host {
  const host = parseHost(text.replaceAll('_', 'u'));
  return host.kind === 'name' ? { ...host, name: text } : host;
}

function parseName(text: string): Exclude<Host, { kind: 'invalid' }> {
  const host = parseCertified(text);
  if (host.kind !== 'invalid') return host;
  throw new UsageError(`No certificate can be made for ${JSON.stringify(text)}: ${host.problem}`, {
    hint: 'give names and addresses by which machines reach this one',
  });
}

type Forge = typeof forge;

interface Maker {
  readonly library: Forge;
  readonly validity: { readonly notBefore: Date; readonly notAfter: Date };
}

function validityAround(now: Date): Maker['validity'] {
  const hour = 3_600_000;
  return {
    notBefore: new Date(now.getTime() - VALIDITY.before * hour),
    notAfter: new Date(now.getTime() + VALIDITY.after * hour),
  };
}

interface Authority {
  readonly certificate: forge.pki.Certificate;
  readonly key: forge.pki.rsa.PrivateKey;
}

async function makeAuthority(maker: Maker): Promise<Authority> {
  const { library } = maker;
  const keys = await makeKeys();
  const certificate = beginCertificate(maker, keys.publicKey);
  const name = [{ name: 'commonName', value: `ironic-coreos ${certificate.serialNumber.slice(0, 8)}` }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 0 },
    { name: 'keyUsage', critical: true, keyCertSign: true, cRLSign: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  const key = library.pki.privateKeyFromPem(keys.privateKey);
  certificate.sign(key, library.md.sha256.create());
  return { certificate, key };
}

interface ServerNames {
  readonly authority: Authority;
  readonly hosts: readonly Exclude<Host, { kind: 'invalid' }>[];
}

async function makeServerCertificate(
  maker: Maker,
  { authority, hosts }: ServerNames,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const { library } = maker;
  const keys = await makeKeys();
  const certificate = beginCertificate(maker, keys.publicKey);
  certificate.setSubject([{ name: 'commonName', value: 'ironic-coreos' }]);
  certificate.setIssuer(authority.certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', critical: true, cA: false },
    { name: 'keyUsage', critical: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectKeyIdentifier' },
    {
      name: 'authorityKeyIdentifier',
      keyIdentifier: authority.certificate.generateSubjectKeyIdentifier().getBytes(),
    },
    { name: 'subjectAltName', altNames: hosts.map(alternativeName) },
  ]);
  certificate.sign(authority.key, library.md.sha256.create());
  return { certificate: formatPem(maker, certificate), key: keys.privateKey };
}

/** With the line ends of the files that it goes into. */
function formatPem({ library }: Maker, certificate: forge.pki.Certificate): string {
  return library.pki.certificateToPem(certificate).replaceAll('\r\n', '\n');
}

/** By node, whose keys are made a hundred times faster than in JavaScript. */
const makeKeys = async (): Promise<{ readonly publicKey: string; readonly privateKey: string }> =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

function beginCertificate({ library, validity }: Maker, publicKey: string): forge.pki.Certificate {
  const certificate = library.pki.createCertificate();
  certificate.publicKey = library.pki.publicKeyFromPem(publicKey);
  // A number above zero of less than 20 octets.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  Object.assign(certificate.validity, validity);
  return certificate;
}

/** Types of RFC 5280: 2 is a name of the DNS, 7 an address. */
function alternativeName(host: Exclude<Host, { kind: 'invalid' }>): object {
  return host.kind === 'name' ? { type: 2, value: host.name } : { type: 7, ip: host.address };
}
