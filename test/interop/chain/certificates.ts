/** Certificates of servers of this machine, as the guest sees them. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import forge from 'node-forge';

/** PEM. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

const DAY = 86_400_000;
const now = Date.now();
export const valid: Period = { from: new Date(now - DAY), to: new Date(now + 30 * DAY) };
export const expired: Period = { from: new Date(now - 30 * DAY), to: new Date(now - DAY) };

/** A certificate authority, and a certificate that it has issued for an address. */
export function createCertificates(
  address: string,
  period: Period,
): { readonly authority: string; readonly server: KeyPair } {
  const authority = createCertificate({ name: 'Chain CA', period });
  const server = createCertificate({ name: address, period, issuer: authority });
  return { authority: authority.cert, server };
}

interface Request {
  readonly name: string;
  readonly period: Period;
  /** Default: the certificate is an authority, signed by itself. */
  readonly issuer?: KeyPair;
}

function createCertificate({ issuer, name, period }: Request): KeyPair {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = `00${randomBytes(8).toString('hex')}`;
  certificate.validity.notBefore = period.from;
  certificate.validity.notAfter = period.to;
  const subject = [{ name: 'commonName', value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(
    issuer === undefined ? subject : forge.pki.certificateFromPem(issuer.cert).subject.attributes,
  );
  certificate.setExtensions(
    issuer === undefined
      ? [{ name: 'basicConstraints', cA: true, critical: true }]
      : [{ name: 'subjectAltName', altNames: [{ type: 7, ip: name }] }],
  );
  certificate.sign(
    forge.pki.privateKeyFromPem((issuer ?? { key: keys.privateKey }).key),
    forge.md.sha256.create(),
  );
  return { key: keys.privateKey, cert: forge.pki.certificateToPem(certificate) };
}
