import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../src/formats/sshKey.ts';
import { have, oracleNote } from '../support/programs.ts';

const ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM0udqt3Kr6gwCP3CMFKQjF6Ax1NjKUYvOoFvuRydfaH';
const rsa1024 =
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDCCULfZyDocIMwDiIsytIprU1bPSiVpnBcqjAMiUXFlKFXLpUI5V5YbNOFGJt2VUXkdLBlgDFshXk0cNpGKMdZkrDiNZa+5PgB68vNqA/eOVTu+wR4ZdAg+K0ecawQi6UAvDh7RK2h51dRC2hi9uw1zOhmvDwFJImTgfF3SHQs2Q==';

/** A key of the wire format from its fields. */
function encode(...fields: readonly (string | Uint8Array)[]): string {
  const parts = fields.flatMap((field) => {
    const bytes = Buffer.from(field);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts).toString('base64');
}

const point = (bits: number): Uint8Array => Buffer.alloc(1 + 2 * Math.ceil(bits / 8), 4);
const number = (bits: number): Uint8Array => {
  const bytes = Buffer.alloc(Math.floor(bits / 8) + 1, 1);
  bytes[0] = bits % 8 === 0 ? 0 : 1 << ((bits % 8) - 1);
  if (bits % 8 === 0) bytes[1] = 0x80;
  return bytes;
};

/** A certificate with a plain key of these fields: a nonce in front of them, and what it certifies behind. */
function encodeCertificate(type: string, ...fields: readonly (string | Uint8Array)[]): string {
  const parts = [
    encode(type, 'nonce', ...fields),
    encode('id', 'core'),
    encode('', '', '', 'key', 'signature'),
  ];
  const [key, subject, rest] = parts.map((part) => Buffer.from(part, 'base64'));
  if (key === undefined || subject === undefined || rest === undefined) throw new Error('a part is missing');
  return Buffer.concat([key, Buffer.alloc(12), subject, Buffer.alloc(16), rest]).toString('base64');
}

const certified = 'a certificate in authorized_keys allows no login; use the plain key';

describe('checkSshPublicKey', () => {
  it.each([2048, 2049, 3072])('finds no weakness in an RSA key of %i bits', (bits) => {
    const key = `ssh-rsa ${encode('ssh-rsa', number(17), number(bits))}`;
    expect(checkSshPublicKey(key)).toEqual({ ok: true, weakness: undefined });
  });

  it.each([
    ['ed25519', ed25519, undefined],
    ['a comment with blanks', `${ed25519} me@here  now `, undefined],
    ['tabs and blanks around', `\t ${ed25519}\tx \t`, undefined],
    ['a short RSA key', rsa1024, 'the RSA key has only 1024 bits; at least 2048 are secure'],
    [
      'an RSA key without a number',
      `ssh-rsa ${encode('ssh-rsa', number(17), '')}`,
      'the RSA key has only 0 bits; at least 2048 are secure',
    ],
    ['RSA', `ssh-rsa ${encode('ssh-rsa', number(17), number(3072))}`, undefined],
    [
      'RSA of odd size',
      `ssh-rsa ${encode('ssh-rsa', number(17), number(2047))}`,
      'the RSA key has only 2047 bits; at least 2048 are secure',
    ],
    ['ECDSA', `ecdsa-sha2-nistp521 ${encode('ecdsa-sha2-nistp521', 'nistp521', point(521))}`, undefined],
    [
      'a security key',
      `sk-ssh-ed25519@openssh.com ${encode('sk-ssh-ed25519@openssh.com', Buffer.alloc(32), 'ssh:')}`,
      undefined,
    ],
    [
      'another security key',
      `sk-ecdsa-sha2-nistp256@openssh.com ${encode('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point(256), 'ssh:')}`,
      undefined,
    ],
    [
      'DSA',
      `ssh-dss ${encode('ssh-dss', number(1024), number(160), number(1023), number(1022))}`,
      'OpenSSH no longer supports ssh-dss keys',
    ],
    [
      'a certificate',
      `ssh-ed25519-cert-v01@openssh.com ${encodeCertificate('ssh-ed25519-cert-v01@openssh.com', Buffer.alloc(32))}`,
      certified,
    ],
    [
      'a certificate of a short RSA key',
      `ssh-rsa-cert-v01@openssh.com ${encodeCertificate('ssh-rsa-cert-v01@openssh.com', number(17), number(1024))}`,
      certified,
    ],
    [
      'a type of the future',
      `ssh-new@example.com ${encode('ssh-new@example.com', 'any')} x`,
      'the type of the key is unknown, so the host may not support it',
    ],
    ['options', `from="192.0.2.0/24,h",no-pty,command="echo \\"a b\\"" ${ed25519} c`, undefined],
    ['several blanks between its parts', `${ed25519.replace(' ', ' \t ')} \t x`, undefined],
    ['several blanks behind options', `restrict \t ${ed25519}`, undefined],
    ['the longest line', `${ed25519} ${'x'.repeat(32_768 - ed25519.length - 1)}`, undefined],
    ['an option in other letters', `Restrict ${ed25519}`, undefined],
  ])('%s', (_title, line, weakness) => {
    expect(checkSshPublicKey(line)).toEqual({ ok: true, weakness });
  });

  it.each([
    ['nothing', '', 'it is empty'],
    ['blanks', ' \t', 'it is empty'],
    ['a comment', '# mine', 'it is a comment'],
    ['two lines', `${ed25519}\n${ed25519}`, 'it contains several lines; use one line per key'],
    ['a final line feed', `${ed25519}\n`, 'it contains several lines; use one line per key'],
    ['an escape', `${ed25519} \u001b[1m`, 'it contains a control character'],
    ['NUL', `${ed25519}\0`, 'it contains a control character'],
    [
      'a private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      'it is a private key; use the public key (id.pub)',
    ],
    [
      'RFC 4716',
      '---- BEGIN SSH2 PUBLIC KEY ----',
      'it is in the format of RFC 4716; convert it with "ssh-keygen -i -f FILE"',
    ],
    ['the key alone', ed25519.split(' ')[1] ?? '', 'the key type is missing before the key'],
    ['the type alone', 'ssh-ed25519', 'the key is missing after the type'],
    [
      'an unknown type',
      'ssh-ed448 AAAA',
      'it does not start with a supported key type such as ssh-ed25519 or ssh-rsa',
    ],
    [
      'a signature algorithm',
      rsa1024.replace('ssh-rsa', 'rsa-sha2-512'),
      'this is a signature algorithm; the type of such keys is ssh-rsa',
    ],
    [
      'a name of every object',
      'constructor AAAA',
      'it does not start with a supported key type such as ssh-ed25519 or ssh-rsa',
    ],
    [
      'another type inside',
      ed25519.replace('ssh-ed25519 ', 'ssh-rsa '),
      'the key does not match the type before it',
    ],
    ['a lost character', ed25519.slice(0, -1), 'the key is truncated or modified: it is not valid base64'],
    ['a lost group', ed25519.slice(0, -4), 'the key is truncated'],
    ['a field that is missing', `ssh-rsa ${encode('ssh-rsa', number(17))}`, 'the key is truncated'],
    [
      'a length that is cut',
      `ssh-rsa ${Buffer.concat([Buffer.from(encode('ssh-rsa'), 'base64'), Buffer.of(0, 0)]).toString('base64')}`,
      'the key is truncated',
    ],
    ['no padding', rsa1024.replace(/=+$/, ''), 'the key is truncated or modified: it is not valid base64'],
    [
      'more behind the key',
      `ssh-ed25519 ${encode('ssh-ed25519', Buffer.alloc(32), 'x')}`,
      'the key has extra data at its end',
    ],
    ['an unknown option', `no-such-thing ${ed25519}`, 'an option before the key is unknown or has no value'],
    [
      'an option without its value',
      `command ${ed25519}`,
      'an option before the key is unknown or has no value',
    ],
    ['an empty option', `no-pty,,restrict ${ed25519}`, 'an option before the key is empty'],
    [
      'an open quote',
      `command="x ${ed25519}`,
      'it does not start with a supported key type such as ssh-ed25519 or ssh-rsa',
    ],
    [
      'an option with a value that it does not take',
      `no-pty="x" ${ed25519}`,
      'an option before the key is unknown or has no value',
    ],
    [
      'an option without quotes',
      `command=x ${ed25519}`,
      'an option before the key is unknown or has no value',
    ],
    [
      'an option with more behind its value',
      `command="x"y ${ed25519}`,
      'an option before the key is unknown or has no value',
    ],
    ['an empty option at the end', `no-pty, ${ed25519}`, 'an option before the key is empty'],
    ['an empty option in front', `,no-pty ${ed25519}`, 'an option before the key is empty'],
    ['a blank in front of a comment', ' # mine', 'it is a comment'],
    [
      'a line that is a character too long',
      `${ed25519} ${'x'.repeat(32_768 - ed25519.length)}`,
      'it is longer than 32768 characters',
    ],
    [
      'something like a signature algorithm',
      'rsa-sha2-512x AAAA',
      'it does not start with a supported key type such as ssh-ed25519 or ssh-rsa',
    ],
    [
      'something that is no key alone',
      'AAAAB3Nz',
      'it does not start with a supported key type such as ssh-ed25519 or ssh-rsa',
    ],
    [
      'quotes around all',
      `"${ed25519}"`,
      'it does not start with a supported key type such as ssh-ed25519 or ssh-rsa',
    ],
    ['a very long line', `${ed25519} ${'x'.repeat(40_000)}`, 'it is longer than 32768 characters'],
  ])('refuses %s', (_title, line, reason) => {
    expect(checkSshPublicKey(line)).toEqual({ ok: false, reason });
  });

  const named = 'agent-forwarding port-forwarding pty user-rc x11-forwarding'.split(' ');
  const flags = 'cert-authority restrict no-touch-required touch-required verify-required no-verify-required';
  const valued = 'command environment expiry-time from permitlisten permitopen principals tunnel';
  it.each([
    ...named.flatMap((name) => [name, `no-${name}`]),
    ...flags.split(' '),
    ...valued.split(' ').map((name) => `${name}="x"`),
  ])('knows the option %s', (option) => {
    expect(checkSshPublicKey(`${option} ${ed25519}`)).toEqual({ ok: true, weakness: undefined });
  });

  it('takes any line', () => {
    const part = fc.constantFrom(
      'ssh-rsa',
      'ssh-ed25519',
      ' ',
      '"',
      '\\',
      ',',
      '=',
      'from',
      ...ed25519.split(' '),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: part })), (line) => {
        const check = checkSshPublicKey(line);
        expect(check.ok || check.reason).toBeTruthy();
      }),
    );
  });

  it('notices every changed byte of the type and of lengths', () => {
    const blob = Buffer.from(ed25519.split(' ')[1] ?? '', 'base64');
    for (let index = 0; index < 4 + 'ssh-ed25519'.length + 4; index++) {
      const changed = Buffer.from(blob);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(checkSshPublicKey(`ssh-ed25519 ${changed.toString('base64')}`).ok).toBe(false);
    }
  });
});

describe('splitAuthorizedKeys', () => {
  it('drops comments and blank lines', () => {
    expect(splitAuthorizedKeys(`# mine\r\n\r\n  ${ed25519} a \n\t\n#\n${rsa1024}`)).toEqual([
      `${ed25519} a`,
      rsa1024,
    ]);
    expect(splitAuthorizedKeys('')).toEqual([]);
  });
});

describe.skipIf(!have('ssh-keygen'))(`keys of ssh-keygen${oracleNote('ssh-keygen')}`, () => {
  it.each([
    ['-t ed25519'],
    ['-t rsa -b 2048'],
    ['-t ecdsa -b 256'],
    ['-t ecdsa -b 384'],
    ['-t ecdsa -b 521'],
  ])('%s, and a certificate of it', (options) => {
    const folder = mkdtempSync(join(tmpdir(), 'ssh keys '));
    try {
      const file = join(folder, 'key');
      expect(
        spawnSync('ssh-keygen', ['-q', ...options.split(' '), '-N', '', '-C', 'a b', '-f', file]).status,
      ).toBe(0);
      const key = readFileSync(`${file}.pub`, 'utf8').trimEnd();
      expect(checkSshPublicKey(key)).toEqual({ ok: true, weakness: undefined });
      spawnSync('ssh-keygen', ['-q', '-s', file, '-I', 'id', '-n', 'core', `${file}.pub`]);
      const certificate = readFileSync(`${file}-cert.pub`, 'utf8').trimEnd();
      expect(checkSshPublicKey(certificate)).toEqual({ ok: true, weakness: certified });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
