/** Requests that `serve` refuses are on the row of their host, with the hint for exactly that. */

import { describe, expect, it } from 'vitest';
import { createRefusals } from '../../src/service/refusals.ts';
import type { RefusedFile } from '../../src/http/server/requests.ts';

const client = '192.0.2.7';
const start = (): ReturnType<typeof createRefusals> =>
  createRefusals((path) =>
    /^a\.(?:iso|img)$/.test(path)
      ? { host: 'a', artifact: path === 'a.iso' ? 'iso' : 'archive', isServed: path === 'a.iso' }
      : undefined,
  );

describe('a refused request', () => {
  it.each<[string, Omit<RefusedFile, 'client'>, string, RegExp]>([
    [
      'without a key',
      { status: 401, path: 'a.iso', reason: 'no-key' },
      'requested a.iso without a key in the URL (status 401)',
      /^use the URL of the host as serve prints it/,
    ],
    [
      'with an expired key',
      { status: 404, path: 'a.iso', reason: 'invalid-key' },
      'requested a.iso with a key that is not valid (status 404)',
      /--key-file/,
    ],
    [
      'for a kind of file that is not served',
      { status: 404, path: 'a.img', reason: 'not-served' },
      'requested a.img, which is not served at this path (status 404)',
      /^add archive to --artifacts$/,
    ],
    [
      'for a file with the key of another host',
      { status: 404, path: 'a.iso', reason: 'not-served' },
      'requested a.iso, which is not served at this path (status 404)',
      /^use one of the URLs of the host/,
    ],
  ])('%s is said of its host', (_title, request, message, hint) => {
    const refusals = start();
    expect(refusals.note({ client, ...request })).toMatchObject({ host: 'a', refusal: { message } });
    expect(refusals.of('a')).toMatchObject({ client, message, hint: expect.stringMatching(hint) });
    expect(refusals.of('b')).toBeUndefined();
  });

  it('for an unknown path is said of no host, and shows no path', () => {
    const refusals = start();
    const noted = refusals.note({ client, status: 401, path: 'my-password', reason: 'no-key' });
    expect(noted.host).toBeUndefined();
    expect(JSON.stringify(noted)).not.toContain('password');
  });
});
