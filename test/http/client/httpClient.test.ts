/** The client alone: silence, credentials, redirects, proxies, and pauses between attempts. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchPartial } from '../../../src/commands/download/downloadPartial.ts';
import { openRemoteImage } from '../../../src/imagefile/remoteImage.ts';
import { UsageError } from '../../../src/core/errors.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient, readAnswer } from '../../../src/http/client/httpClient.ts';
import { describeFailure, TransferError } from '../../../src/http/client/httpErrors.ts';
import { countRetries, type RetryPolicy, withRetries } from '../../../src/http/client/retries.ts';
import { type ImageServer, startImageServer } from '../../support/imageServer.ts';

let server: ImageServer;
let elsewhere: ImageServer;
let client: HttpClient;

beforeEach(async () => {
  server = await startImageServer();
  elsewhere = await startImageServer();
  client = createHttpClient({ env: {} }, { connect: 1000, silence: 200 });
});

afterEach(async () => {
  await client.close();
  await server.close();
  await elsewhere.close();
});

const body = async (url: string): Promise<string> =>
  Buffer.from(await readAnswer(await client.get(new URL(url)), url, 1000)).toString();

async function readAll(parts: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const part of parts) size += part.length;
  return size;
}

describe('createHttpClient', () => {
  it('waits for silent servers only so long', async () => {
    server.files.set('/a', { content: Buffer.from('a'), faults: [{ kind: 'silence' }] });
    await expect(body(`${server.origin}/a`)).rejects.toMatchObject({
      isPassing: true,
      message: `${server.origin}/a cannot be fetched: no response from the server`,
      hint: 'check the route to the server with "curl -v URL", and run the command again',
    });
  });

  it('shows credentials to the host that they are for only', async () => {
    elsewhere.files.set('/b', { content: Buffer.from('b') });
    server.files.set('/a', {
      content: Buffer.from('a'),
      faults: [{ kind: 'redirect', to: `${elsewhere.origin}/b` }],
    });
    const url = server.origin.replace('//', '//user:p%40ss@');
    expect(await body(`${url}/a`)).toBe('b');
    expect(server.requests[0]?.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    expect(elsewhere.requests).toMatchObject([{ path: '/b', authorization: undefined }]);
  });

  it('tells all URLs on the way', async () => {
    elsewhere.files.set('/b', { content: Buffer.from('b') });
    server.files.set('/a', {
      content: Buffer.from('a'),
      faults: [{ kind: 'redirect', to: `${elsewhere.origin}/b` }],
    });
    const { urls, parts } = await client.get(new URL(`${server.origin}/a`));
    expect(await readAll(parts)).toBe(1);
    expect(urls.map(({ host }) => host)).toContain(new URL(server.origin).host);
    expect(urls.map(({ host }) => host)).toContain(new URL(elsewhere.origin).host);
  });

  it.each([
    ['in a circle', 2, 'endless redirects, or a redirect to a URL that is not http:// or https://'],
    ['to ever new URLs', 20, 'the server returned HTTP status 302'],
  ])('names the URL to use for redirects %s', async (_title, count, problem) => {
    for (let index = 0; index < count; index++) {
      const faults = [{ kind: 'redirect', to: `${server.origin}/${(index + 1) % count}` } as const];
      server.files.set(`/${index}`, { content: Buffer.from('a'), faults });
    }
    await expect(body(`${server.origin}/0`)).rejects.toMatchObject({
      message: `${server.origin}/0 cannot be fetched: ${problem}`,
      hint: 'use the URL that the server redirects to',
    });
  });

  it('takes no body that is larger than expected', async () => {
    server.files.set('/a', { content: Buffer.alloc(2000) });
    await expect(body(`${server.origin}/a`)).rejects.toThrow('too large');
  });

  it.each<[string, (client: HttpClient, url: URL) => Promise<unknown>]>([
    ['a response', async (limited, url) => readAll((await limited.get(url)).parts)],
    [
      'a download',
      async (limited, url) => {
        const folder = mkdtempSync(join(tmpdir(), 'endless '));
        const transfer = { url, path: join(folder, 'a'), shownPath: 'a', sha256: undefined };
        const context = { client: limited, policy: policyOf(3, []), progress: () => undefined };
        return fetchPartial(transfer, context).finally(() => rmSync(folder, { recursive: true }));
      },
    ],
    [
      'an image at a URL',
      async (limited, url) => openRemoteImage(url.href, { client: limited, policy: policyOf(3, []) }),
    ],
  ])('stops %s without a length at its limit, and does not repeat it', async (_title, fetch) => {
    const content = Buffer.alloc(3_000_000);
    server.files.set('/a', { content, ranges: false, faults: [{ kind: 'no length' }] });
    const limited = createHttpClient({ env: {} }, { connect: 1000, silence: 1000 }, 2 * 1024 * 1024);
    await expect(fetch(limited, new URL(`${server.origin}/a`))).rejects.toMatchObject({
      code: 'ERR_TOO_LARGE',
      message: `${server.origin}/a is too large: more than 2 MiB, and the server sends no length`,
    });
    await limited.close();
    expect(server.requests).toHaveLength(1);
  });

  it('has no such limit for a response with a length', async () => {
    server.files.set('/a', { content: Buffer.alloc(3_000_000) });
    const limited = createHttpClient({ env: {} }, { connect: 1000, silence: 1000 }, 2 * 1024 * 1024);
    expect(await readAll((await limited.get(new URL(`${server.origin}/a`))).parts)).toBe(3_000_000);
    await limited.close();
  });

  it.each([
    ['http_proxy', 'http'],
    ['HTTP_PROXY', 'http'],
    ['all_proxy', 'http'],
  ])('%s is for %s', async (variable) => {
    server.files.set('/a', { content: Buffer.from('by the proxy') });
    client = createHttpClient({ env: { [variable]: server.origin } });
    expect(await body('http://host.invalid/a')).toBe('by the proxy');
  });

  it('asks the proxy for https to connect, and not that for http', async () => {
    client = createHttpClient({ env: { http_proxy: server.origin } }, { connect: 1000, silence: 1000 });
    await expect(body('https://host.invalid/a')).rejects.toThrow('host not found');
    expect(server.requests).toEqual([]);
  });

  it('refuses a proxy that is no URL', () => {
    expect(() => createHttpClient({ env: { https_proxy: 'http://[' } })).toThrow(UsageError);
  });
});

function policyOf(retries: number, said: string[]): RetryPolicy {
  return { retries, firstPause: 1, say: (text) => void said.push(text) };
}

function failing(isPassing: boolean): () => Promise<never> {
  return async () => {
    throw new TransferError('broke off', { isPassing });
  };
}

describe('withRetries', () => {
  it('tries again as often as it may, and no more', async () => {
    const said: string[] = [];
    await expect(withRetries(policyOf(3, said), failing(true))).rejects.toThrow('broke off');
    expect(said).toHaveLength(3);
  });

  it('does not try again what will not go better', async () => {
    const said: string[] = [];
    await expect(withRetries(policyOf(3, said), failing(false))).rejects.toThrow('broke off');
    expect(said).toEqual([]);
  });

  it('does not try again what was canceled', async () => {
    const said: string[] = [];
    const canceled = describeFailure(new Error('aborted'), 'http://a/', AbortSignal.abort());
    await expect(withRetries(policyOf(3, said), () => Promise.reject(canceled))).rejects.toThrow(
      'fetching http://a/ was canceled',
    );
    expect(said).toEqual([]);
  });

  it('counts from the start after what brought something', async () => {
    const said: string[] = [];
    let bytes = 0;
    const attempt = async (): Promise<string> => {
      bytes += 2 * 1024 * 1024;
      if (bytes < 20 * 1024 * 1024) throw new TransferError('broke off', { isPassing: true });
      return 'done';
    };
    expect(await countRetries(policyOf(1, said), () => bytes)(attempt)).toBe('done');
    expect(said).toHaveLength(9);
  });
});
