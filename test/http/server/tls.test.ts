/** TLS: certificates of both sides, and their renewal while the service runs. */

import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { join } from 'node:path';
import { connect as tlsConnect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTlsFiles, type TlsFiles } from '../../../src/http/server/tlsFiles.ts';
import { have, oracleNote } from '../../support/programs.ts';
import {
  ask,
  asOperator,
  exchangeRaw,
  type Fixture,
  type FixtureOptions,
  signer,
  startFixture,
  stopFixtures,
  tlsFile,
  tlsText,
  until,
} from '../../support/serveFixtures.ts';

let folder: string;
let files: TlsFiles;
const host = signer.sign({ kind: 'host', host: 'worker-0' });
const ca = tlsText('ca');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve tls '));
  files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), clientCa: undefined };
  await install('server');
});

afterEach(async () => {
  await stopFixtures();
  await rm(folder, { recursive: true });
});

async function install(name: string): Promise<void> {
  await copyFile(tlsFile(name), files.certificate);
  await copyFile(tlsFile(`${name}-key`), files.key);
}

const start = (options: FixtureOptions = {}): Promise<Fixture> =>
  startFixture({ tls: files, tlsInterval: 20, ...options });

/** Clients refuse it themselves at the usual level of security. */
const oldTls: ConnectionOptions = {
  minVersion: 'TLSv1.1',
  maxVersion: 'TLSv1.1',
  ciphers: 'DEFAULT@SECLEVEL=0',
};

const withClientCa = (): Promise<Fixture> => start({ tls: { ...files, clientCa: tlsFile('ca') } });

function identity(name: string): { readonly cert: string; readonly key: string } {
  return { cert: tlsText(name), key: tlsText(`${name}-key`) };
}

async function handshake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = tlsConnect({ host: '127.0.0.1', port, ca, ...options });
  socket.on('error', () => undefined);
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** Fingerprint of the certificate that the service shows. */
async function shownCertificate(port: number): Promise<string> {
  const socket = await handshake(port);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

const fingerprintOf = async (name: string): Promise<string> =>
  (await readTlsFiles({ certificate: tlsFile(name), key: tlsFile(`${name}-key`), clientCa: undefined }))
    .certificate.fingerprint256;

describe('TLS', () => {
  it('serves images over it', async () => {
    const { server, small } = await start();
    expect(server.origin).toMatch(/^https:/);
    const reply = await ask(server.origin, `/${host}/worker-0-minimal.iso`, { ca });
    expect(reply.body).toEqual(small.bytes);
    expect(await server.reloadCertificates()).toBe(true);
  });

  it.each([
    ['1.3', 'TLSv1.3'],
    ['1.2', 'TLSv1.2'],
  ] as const)('%s', async (_title, version) => {
    const { server } = await start();
    const socket = await handshake(server.port, { minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  });

  it('of a version before 1.2 is refused, and the log says why', async () => {
    const { server, lines } = await start();
    await expect(handshake(server.port, oldTls)).rejects.toThrow(/protocol version/);
    await until(() => lines.some(({ message }) => message === 'TLS: unsupported protocol'));
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'with %s sends an image to a client that has ended its half',
    async (version) => {
      const { server, iso } = await start();
      const options = { minVersion: version, maxVersion: version, allowHalfOpen: true };
      const socket = await handshake(server.port, options);
      socket.end(`GET /${host}/worker-0.iso HTTP/1.1\r\nHost: a\r\n\r\n`);
      const answer = await buffer(socket);
      expect(answer.subarray(answer.indexOf('\r\n\r\n') + 4)).toEqual(iso.bytes);
      await until(() => server.connections() === 0);
    },
  );

  it('outlives clients that speak plain HTTP, break off, or say nothing', async () => {
    const { server, small } = await start({ limits: { headerTime: 200 } });
    await exchangeRaw(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await exchangeRaw(server.port, '\u0016\u0003\u0001\u0002\u0000\u0001\u0000');
    await exchangeRaw(server.port, '');
    await until(() => server.connections() === 0);
    const reply = await ask(server.origin, `/${host}/worker-0-minimal.iso`, { ca });
    expect(reply.body).toEqual(small.bytes);
  });

  it('ends, also while a handshake hangs', async () => {
    const { server } = await start();
    const hanging = exchangeRaw(server.port, '\u0016');
    await until(() => server.connections() === 1);
    expect(await server.stop(10_000)).toEqual({ aborted: 0 });
    await hanging;
  });
});

describe('client certificates', () => {
  it('let do everything where their authority is trusted', async () => {
    const { server } = await withClientCa();
    const reply = await ask(server.origin, '/worker-1.iso', { ca, ...identity('client') });
    expect(reply.status).toBe(200);
  });

  it.each([
    ['none', {}],
    ['one of another authority', identity('stranger')],
    ['one that is for servers', identity('server')],
  ])('%s is not enough, but leaves the other ways', async (_title, shown) => {
    const { server } = await withClientCa();
    expect((await ask(server.origin, '/worker-1.iso', { ca, ...shown })).status).toBe(401);
    expect((await ask(server.origin, '/worker-1.iso', { ca, ...shown, ...asOperator })).status).toBe(200);
    const signed = `/${host}/worker-0-minimal.iso`;
    expect((await ask(server.origin, signed, { ca, ...shown })).status).toBe(200);
  });

  it('are not asked for without an authority, nor trusted', async () => {
    const { server } = await start();
    expect((await ask(server.origin, '/worker-1.iso', { ca, ...identity('client') })).status).toBe(401);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a session of %s that is resumed is worth what it was',
    async (version) => {
      const { server } = await withClientCa();
      const resume = async (shown: ConnectionOptions): Promise<string> => {
        const first = await request(server.port, { maxVersion: version, ...shown });
        const second = await request(server.port, { maxVersion: version, session: first.session });
        expect(second.isReused).toBe(true);
        return second.status;
      };
      expect(await resume({})).toBe('401');
      expect(await resume(identity('stranger'))).toBe('401');
      expect(await resume(identity('client'))).toBe('200');
    },
  );
});

interface Answered {
  readonly status: string;
  readonly session: Buffer | undefined;
  readonly isReused: boolean;
}

/** Asks for an image of an operator on a connection of its own. */
async function request(port: number, options: ConnectionOptions): Promise<Answered> {
  const socket = tlsConnect({ host: '127.0.0.1', port, ca, ...options });
  let session: Buffer | undefined;
  let text = '';
  let isReused = false;
  socket.once('secureConnect', () => (isReused = socket.isSessionReused()));
  socket.on('session', (ticket) => (session = ticket));
  socket.on('data', (part) => (text += part.toString('latin1')));
  socket.write('GET /worker-1.iso HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await new Promise((resolve, reject) => {
    socket.once('close', resolve);
    socket.once('error', reject);
  });
  return { status: text.slice(9, 12), session, isReused };
}

/** At once: a server that looks in between does not see an empty file. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

describe('renewal', () => {
  it('puts new files into use under load, and what runs goes on', async () => {
    const { server, iso, small, lines } = await start();
    const slow = await handshake(server.port);
    const parts: Buffer[] = [];
    slow.on('data', (part: Buffer) => parts.push(part)).pause();
    slow.write(`GET /${host}/worker-0.iso HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    const end = new AbortController();
    let replies = 0;
    const load = Array.from({ length: 4 }, async () => {
      while (!end.signal.aborted) {
        const reply = await ask(server.origin, `/${host}/worker-0-minimal.iso`, { ca });
        expect(reply.body).toEqual(small.bytes);
        replies += 1;
      }
    });
    for (const name of ['renewed', 'server', 'renewed']) {
      const before = replies;
      await install(name);
      const fingerprint = await fingerprintOf(name);
      await until(
        () => lines.findLast(({ event }) => event === 'certificate')?.['fingerprint'] === fingerprint,
      );
      expect(await shownCertificate(server.port)).toBe(fingerprint);
      await until(() => replies > before);
    }
    end.abort();
    await Promise.all(load);
    slow.resume();
    await new Promise((resolve) => void slow.once('close', resolve));
    expect(Buffer.concat(parts).subarray(-iso.size)).toEqual(iso.bytes);
    expect(lines.filter(({ event, outcome }) => event === 'request' && outcome !== 'complete')).toEqual([]);
  });

  it('follows links to another folder, as Kubernetes replaces them', async () => {
    await rename(files.certificate, join(folder, 'old.pem'));
    await symlink('old.pem', files.certificate);
    const { server, lines } = await start();
    await copyFile(tlsFile('renewed'), join(folder, 'new.pem'));
    await copyFile(tlsFile('renewed-key'), files.key);
    await symlink('new.pem', join(folder, 'link'));
    await rename(join(folder, 'link'), files.certificate);
    const fingerprint = await fingerprintOf('renewed');
    await until(() => lines.at(-1)?.['fingerprint'] === fingerprint);
    expect(await shownCertificate(server.port)).toBe(fingerprint);
  });

  it.each<[title: string, change: () => Promise<void>, message: RegExp]>([
    [
      'a certificate without its key',
      () => replaceFile(files.certificate, tlsText('renewed')),
      /does not match/,
    ],
    [
      'half a file',
      () => replaceFile(files.certificate, tlsText('renewed').slice(0, 300)),
      /is not a certificate/,
    ],
    ['an empty key', () => replaceFile(files.key, ''), /is not a private key/],
    ['no file', () => rm(files.key), /TLS key not found/],
  ])('%s: the old one stays, and that is said once', async (_title, change, message) => {
    const { server, lines } = await start();
    const before = await shownCertificate(server.port);
    await change();
    const failures = (): unknown[] =>
      lines.filter(({ event, level }) => event === 'certificate' && level === 'error');
    await until(() => failures().length > 0);
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect(failures()).toMatchObject([{ message: expect.stringMatching(message) }]);
    expect(await shownCertificate(server.port)).toBe(before);
    expect(await server.reloadCertificates()).toBe(false);
    await install('renewed');
    await until(() => lines.at(-1)?.['message'] === 'the certificate is in use');
    expect(await shownCertificate(server.port)).toBe(await fingerprintOf('renewed'));
  });

  it('comes on demand', async () => {
    const { server } = await start({ tlsInterval: 600_000 });
    await install('renewed');
    expect(await server.reloadCertificates()).toBe(true);
    expect(await shownCertificate(server.port)).toBe(await fingerprintOf('renewed'));
  });

  it('keeps asking for client certificates, and TLS 1.2 as the least', async () => {
    const { server } = await withClientCa();
    await server.reloadCertificates();
    const options = { ca, ...identity('client') };
    expect((await ask(server.origin, '/worker-1.iso', options)).status).toBe(200);
    expect((await ask(server.origin, '/worker-1.iso', { ca })).status).toBe(401);
    await expect(handshake(server.port, oldTls)).rejects.toThrow(/protocol version/);
  });
});

describe('readTlsFiles', () => {
  it.each<[title: string, own: Partial<TlsFiles>, message: RegExp]>([
    ['a key of another one', { key: tlsFile('renewed-key') }, /^The key .* does not match the certificate /],
    ['an encrypted key', { key: tlsFile('encrypted-key') }, /^The key .* is encrypted$/],
    ['a key as a certificate', { certificate: tlsFile('server-key') }, /is not a certificate$/],
    ['a certificate as a key', { key: tlsFile('server') }, /is not a private key$/],
    ['a key as a client CA', { clientCa: tlsFile('server-key') }, /is not a certificate$/],
    ['a device', { certificate: '/dev/zero' }, /^TLS certificate is not a regular file: \/dev\/zero$/],
    ['a large file', { key: process.execPath }, / is too large: more than 1 MiB$/],
    ['a folder', { clientCa: import.meta.dirname }, /^Client CA is not a regular file: /],
    ['a file that is not there', { clientCa: tlsFile('nothing') }, /^Client CA not found/],
  ])('refuses %s', async (_title, own, message) => {
    const given = {
      certificate: tlsFile('server'),
      key: tlsFile('server-key'),
      clientCa: undefined,
      ...own,
    };
    await expect(readTlsFiles(given)).rejects.toMatchObject({
      name: 'CliError',
      message: expect.stringMatching(message),
      hint: expect.any(String),
    });
  });

  it.skipIf(!have('mkfifo'))(
    `refuses a pipe, without waiting for its writer${oracleNote('mkfifo')}`,
    async () => {
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      const reading = readTlsFiles({ ...files, certificate: join(folder, 'pipe') });
      await expect(reading).rejects.toThrow(/^TLS certificate is not a regular file: .*pipe$/);
    },
  );

  it.each<[title: string, own: Partial<TlsFiles>, hint: string]>([
    [
      'certificate',
      { certificate: tlsFile('server-key') },
      'pass the certificate; this file contains a private key',
    ],
    ['key', { key: tlsFile('server') }, 'pass the private key; this file contains a certificate'],
  ])('hints at the %s where the two are swapped', async (_title, own, hint) => {
    const given = { certificate: tlsFile('server'), key: tlsFile('server-key'), clientCa: undefined, ...own };
    await expect(readTlsFiles(given)).rejects.toMatchObject({ hint });
  });
});
