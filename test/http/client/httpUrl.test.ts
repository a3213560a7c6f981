import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/core/errors.ts';
import { isRemote, parseHttpUrl } from '../../../src/http/client/httpUrl.ts';

const basic = (login: string): string => `Basic ${Buffer.from(login).toString('base64')}`;

describe('parseHttpUrl', () => {
  it.each([
    ['http://h/a', 'http://h/a', undefined],
    ['https://h:8443/a?token=secret#part', 'https://h:8443/a', undefined],
    ['http://user:secret@h/a', 'http://h/a', basic('user:secret')],
    ['http://user@h/a', 'http://h/a', basic('user:')],
    ['http://us%40er:p%3Aw@h/a', 'http://h/a', basic('us@er:p:w')],
  ])('%s', (text, name, authorization) => {
    const target = parseHttpUrl(text);
    expect(target).toMatchObject({ name, authorization });
    expect([target.url.username, target.url.password]).toEqual(['', '']);
  });

  it.each(['http://[', 'http://', 'http://a:%zz@h/'])('refuses %s', (text) => {
    expect(() => parseHttpUrl(text)).toThrow(UsageError);
  });
});

describe('isRemote', () => {
  it.each([
    ['http://h/a', true],
    ['HTTPS://h/a', true],
    ['ftp://h/a', false],
    ['http:/a', false],
    ['a/http://', false],
  ])('%s: %s', (text, expected) => {
    expect(isRemote(text)).toBe(expected);
  });
});
