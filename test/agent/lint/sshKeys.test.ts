import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { messages, render, summary } from './support.ts';

const good = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a@b';
const at = '$.passwd.users.0.sshAuthorizedKeys.0';

function rsaKey(modulusLength: number): string {
  const { n = '', e = '' } = generateKeyPairSync('rsa', { modulusLength }).publicKey.export({
    format: 'jwk',
  });
  const fields = [
    Buffer.from('ssh-rsa'),
    Buffer.from(e, 'base64url'),
    Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')]),
  ];
  const blob = fields.map((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return Buffer.concat([length, field]);
  });
  return `ssh-rsa ${Buffer.concat(blob).toString('base64')} c@d`;
}

const withKey = (key: string): ReturnType<typeof render> => ({
  ...render(),
  passwd: { users: [{ name: 'core', sshAuthorizedKeys: [key] }] },
});

describe('SSH keys', () => {
  it.each([
    ['a good one', good, []],
    ['a good one with a line break', `${good}\n`, []],
    ['an unknown type', good.replace('ssh-ed25519', 'ssh-x'), [`agent-ssh-key ${at}`]],
    ['no base64', 'ssh-ed25519 !!!', [`agent-ssh-key ${at}`]],
    ['cut off', good.slice(0, 40), [`agent-ssh-key ${at}`]],
    ['nothing', '', [`agent-ssh-key ${at}`]],
    ['RSA of 1024 bits', rsaKey(1024), [`agent-ssh-key ${at}`]],
    ['RSA of 2048 bits', rsaKey(2048), []],
    ['two in one entry', `${good}\n${good}`, []],
  ])('%s', (_title, key, expected) => {
    expect(summary(withKey(key))).toEqual(expected);
  });

  it('are told by number, and not quoted', () => {
    const texts = messages(withKey(`${good}\nssh-rsa sesame`)).join('\n');
    expect(texts).toContain('key 2: ');
    expect(texts).not.toContain('sesame');
  });
});
