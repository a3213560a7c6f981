import { createPrivateKey, X509Certificate } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/core/errors.ts';
import { createCertificates } from '../../../src/trial/api/createdCertificates.ts';
import { have, oracleNote } from '../../support/programs.ts';

const now = new Date('2026-11-21T12:00:00Z');
const names = ['ironic.example', '192.0.2.1', '2001:db8::1', 'ironic.example'];
const { ca, tls } = await createCertificates(names, now);
const authority = new X509Certificate(ca);
/** PEM, as it was made. */
const pem = (text: unknown): string => (typeof text === 'string' ? text : '');
const server = new X509Certificate(pem(tls.context.cert));

const folder = mkdtempSync(join(tmpdir(), 'made certificates '));
afterAll(() => rmSync(folder, { recursive: true }));

describe('createCertificates', () => {
  it('makes an authority and a certificate of it', () => {
    expect([authority.ca, server.ca]).toEqual([true, false]);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(server.checkIssued(authority)).toBe(true);
    expect(server.checkPrivateKey(createPrivateKey(pem(tls.context.key)))).toBe(true);
  });

  it('with RSA keys of 2048 bits, which all clients accept and which are fast to make', () => {
    const lengths = [authority, server].map(({ publicKey }) => publicKey.asymmetricKeyDetails?.modulusLength);
    expect(lengths).toEqual([2048, 2048]);
  });

  it('for the names, each once', () => {
    expect(server.subjectAltName).toBe(
      'DNS:ironic.example, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1',
    );
    expect([server.checkHost('ironic.example'), server.checkIP('2001:db8::1')]).toEqual([
      'ironic.example',
      '2001:db8::1',
    ]);
  });

  it('for names that only name servers know', async () => {
    const made = await createCertificates(['ironic_api.example', '_ironic.example']);
    const certificate = new X509Certificate(pem(made.tls.context.cert));
    expect(certificate.subjectAltName).toBe('DNS:ironic_api.example, DNS:_ironic.example');
  });

  it('as text with the line ends of the files that it goes into', () => {
    for (const text of [ca, pem(tls.context.cert)]) {
      expect(text).toMatch(/^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]+\n-----END CERTIFICATE-----\n$/);
    }
  });

  it('valid for a week, and for clocks that are an hour late', () => {
    for (const certificate of [authority, server]) {
      expect(new Date(certificate.validFrom)).toEqual(new Date('2026-11-21T11:00:00Z'));
      expect(new Date(certificate.validTo)).toEqual(new Date('2026-11-28T12:00:00Z'));
    }
  });

  it('anew each time', async () => {
    const other = await createCertificates(['localhost']);
    expect(other.ca).not.toBe(ca);
    expect(other.tls.certificate.fingerprint256).not.toBe(tls.certificate.fingerprint256);
  });

  it.each(['', 'a b', 'http://ironic.example', '[::1]', '192.0.2.1:6385'])(
    'refuses %j as a name',
    async (name) => {
      await expect(createCertificates([name])).rejects.toThrow(UsageError);
    },
  );

  it.skipIf(!have('openssl'))(`passes strict verifiers${oracleNote('openssl')}`, () => {
    writeFileSync(join(folder, 'ca.pem'), ca);
    writeFileSync(join(folder, 'server.pem'), pem(tls.context.cert));
    const time = ['-attime', String(now.getTime() / 1000)];
    const check = ['-x509_strict', '-purpose', 'sslserver', '-verify_ip', '192.0.2.1', '-CAfile', 'ca.pem'];
    const { stdout, stderr } = spawnSync('openssl', ['verify', ...time, ...check, 'server.pem'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stdout + stderr).toBe('server.pem: OK\n');
  });
});
