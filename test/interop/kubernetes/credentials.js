// @ts-check
/** Keys, certificates and tokens of an API server for tests: an authority of its own, and what that vouches for. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import forge from 'node-forge';

const HOUR = 3_600_000;

/**
 * @typedef {object} Credentials
 * @property {string} authority file of the certificate that vouches for the server and for clients
 * @property {string} certificate file of the server's
 * @property {string} key file of the server's
 * @property {string} accountKey file of the key that signs tokens of service accounts
 * @property {string} tokens file of the tokens that do not come from service accounts
 * @property {string} adminToken of a user who may do everything
 * @property {{ readonly certificate: string, readonly key: string }} adminFiles of the same, by certificate
 */

/** @param {string} folder @returns {Credentials} */
export function writeCredentials(folder) {
  const save = (/** @type {string} */ name, /** @type {string} */ text) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const authority = createAuthority();
  const server = authority.issue({ name: 'kube-apiserver', organization: 'test' });
  const admin = authority.issue({ name: 'admin', organization: 'system:masters' });
  const adminToken = randomBytes(24).toString('hex');
  return {
    authority: save('ca.pem', authority.certificate),
    certificate: save('server.pem', server.certificate),
    key: save('server-key.pem', server.key),
    accountKey: save('accounts-key.pem', makeKeys().privateKey),
    tokens: save('tokens.csv', `${adminToken},admin,admin,system:masters\n`),
    adminToken,
    adminFiles: {
      certificate: save('admin.pem', admin.certificate),
      key: save('admin-key.pem', admin.key),
    },
  };
}

/** Forge takes long to make keys, and knows RSA only. */
function makeKeys() {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

function createAuthority() {
  const keys = makeKeys();
  const subject = [{ name: 'commonName', value: 'Kubernetes for tests' }];
  const sign = (/** @type {forge.pki.Certificate} */ certificate) => {
    certificate.setIssuer(subject);
    certificate.sign(forge.pki.privateKeyFromPem(keys.privateKey), forge.md.sha256.create());
    return forge.pki.certificateToPem(certificate);
  };
  const own = blankCertificate(keys.publicKey, subject);
  own.setExtensions([{ name: 'basicConstraints', cA: true }]);
  return {
    certificate: sign(own),
    issue: (/** @type {{ name: string, organization: string }} */ { name, organization }) => {
      const { publicKey, privateKey } = makeKeys();
      const certificate = blankCertificate(publicKey, [
        { name: 'commonName', value: name },
        { name: 'organizationName', value: organization },
      ]);
      certificate.setExtensions([
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 7, ip: '127.0.0.1' },
            { type: 2, value: 'localhost' },
          ],
        },
      ]);
      return { certificate: sign(certificate), key: privateKey };
    },
  };
}

/** @param {string} publicKey @param {forge.pki.CertificateField[]} subject */
function blankCertificate(publicKey, subject) {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(Date.now() - HOUR);
  certificate.validity.notAfter = new Date(Date.now() + 48 * HOUR);
  certificate.setSubject(subject);
  return certificate;
}
