import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRequestPath } from '../../../../src/http/server/answer/requestPath.ts';

describe('parseRequestPath', () => {
  it.each([
    ['/', ''],
    ['/worker-0.iso', 'worker-0.iso'],
    ['/h.worker-0.k3.aB_-~/worker-0.iso', 'h.worker-0.k3.aB_-~/worker-0.iso'],
    ['/worker%2d0%2Eiso', 'worker-0.iso'],
    ['/a%20b', 'a b'],
    ['/zw%C3%B6lf', 'zwölf'],
    ['/x?query=/../', 'x'],
    ['/?x', ''],
    ['/...', '...'],
    ['/.hidden', '.hidden'],
    ['http://example.com/x', 'x'],
    ['HTTPS://[::1]:8080/x?y', 'x'],
    ['http://example.com', ''],
    ['http://example.com?x', ''],
  ])('%s', (target, path) => {
    expect(parseRequestPath(target)).toBe(path);
  });

  it.each([
    ['nothing', ''],
    ['no slash', 'x'],
    ['the target of OPTIONS', '*'],
    ['the target of CONNECT', 'example.com:443'],
    ['another scheme', 'file:///etc/passwd'],
    ['no host', 'http:///x'],
    ['two slashes', '//x'],
    ['two slashes inside', '/x//y'],
    ['a slash at the end', '/x/'],
    ['a dot segment', '/./x'],
    ['two dots', '/x/../y'],
    ['two dots at the end', '/..'],
    ['escaped dots', '/%2e%2E/x'],
    ['half escaped dots', '/.%2e/x'],
    ['an escaped slash', '/..%2fx'],
    ['an escaped slash in capitals', '/x%2Fy'],
    ['a backslash', String.raw`/..\x`],
    ['an escaped backslash', '/x%5cy'],
    ['NUL', '/x%00.iso'],
    ['a line break', '/x%0a'],
    ['DEL', '/x%7f'],
    ['a C1 control character', '/x%c2%85'],
    ['a bad escape', '/x%zz'],
    ['half an escape', '/x%4'],
    ['a percent sign', '/x%'],
    ['bytes that are not UTF-8', '/x%ff'],
    ['a long way to write a dot', '/%c0%ae%c0%ae/x'],
    ['more than 2 KiB', `/${'x'.repeat(2048)}`],
  ])('refuses %s', (_title, target) => {
    expect(parseRequestPath(target)).toBeUndefined();
  });

  it('decodes twice-escaped text once', () => {
    expect(parseRequestPath('/%252e%252e')).toBe('%2e%2e');
  });

  it('gives back what was escaped, or nothing that climbs', () => {
    const character = fc.constantFrom('.', '/', '%', '2', 'e', 'a', ' ', '?', '\\', '\0', 'ö', '💿');
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: character, minLength: 1 }), { minLength: 1, maxLength: 5 }),
        (segments) => {
          const path = parseRequestPath(
            `/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`,
          );
          expect([undefined, segments.join('/')]).toContain(path);
          expect(path?.split('/').some((segment) => ['', '.', '..'].includes(segment)) ?? false).toBe(false);
        },
      ),
    );
  });
});
