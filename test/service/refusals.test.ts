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
const host = (name: string, ...clients: readonly string[]) => ({ name, progress: () => [{ clients }] });

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
    expect(refusals.of([host('a'), host('b')])).toEqual(
      new Map([['a', expect.objectContaining({ client, message, hint: expect.stringMatching(hint) })]]),
    );
  });

  const secret = { client, status: 401, path: 'my-password', reason: 'no-key' } as const;

  it('for an unknown path is said of the only host of its client, and shows no path', () => {
    const refusals = start();
    refusals.note(secret);
    const found = refusals.of([host('a'), host('b', client)]);
    expect([...found.keys()]).toEqual(['b']);
    expect(JSON.stringify([...found.values()])).not.toContain('password');
  });

  it('for an unknown path is said of no host if several hosts or none have its client', () => {
    const refusals = start();
    refusals.note(secret);
    expect(refusals.of([host('a', client), host('b', client)]).size).toBe(0);
    expect(refusals.of([host('a'), host('b')]).size).toBe(0);
  });

  it('of many clients takes bounded memory: the next one is still known', () => {
    const refusals = start();
    for (let index = 0; index < 5000; index++) refusals.note({ ...secret, client: `client-${index}` });
    expect(refusals.of([host('a', 'client-4999')]).size).toBe(1);
    expect(refusals.of([host('a', 'client-0')]).size).toBe(0);
  });
});
