/** How often a download is tried again from servers that never send all of it. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchPartial } from '../../../src/commands/download/downloadPartial.ts';
import { createHttpClient, type HttpClient } from '../../../src/http/client/httpClient.ts';
import { TransferError } from '../../../src/http/client/httpErrors.ts';
import {
  type Fault,
  type ImageServer,
  type ServedFile,
  startImageServer,
} from '../../support/imageServer.ts';

const MIB = 1024 * 1024;
const content = Buffer.alloc(6 * MIB, 'content ');

let folder: string;
let server: ImageServer;
let client: HttpClient;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'partial '));
  server = await startImageServer();
  client = createHttpClient({ env: {} });
});

afterEach(async () => {
  await client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Tried again so often at most; the server goes on for longer. */
async function fetchFile(retries: number): Promise<string> {
  const path = join(folder, 'image');
  const transfer = { url: new URL(`${server.origin}/image`), path, shownPath: 'image', sha256: undefined };
  const policy = { retries, firstPause: 1, say: () => undefined };
  const fetched = await fetchPartial(transfer, { client, policy, progress: () => undefined });
  return fetched.path;
}

function serve(file: Partial<ServedFile>, fault: (request: number) => Fault | undefined): void {
  const faults = Array.from({ length: 30 }, (_, index) => fault(index)).filter((each) => each !== undefined);
  server.files.set('/image', { content, ...file, faults });
}

describe('fetchPartial', () => {
  it.each<[string, Partial<ServedFile>, (request: number) => Fault]>([
    ['ignores Range and stops at one place', { ranges: false }, () => ({ kind: 'drop', after: 2 * MIB })],
    [
      'ignores Range and stops at one of two places',
      { ranges: false },
      (request) => ({ kind: 'drop', after: (request % 2 === 0 ? 4 : 2) * MIB }),
    ],
    ['has nothing to resume by', { etag: undefined }, () => ({ kind: 'drop', after: 2 * MIB })],
    ['announces more than there is', {}, () => ({ kind: 'overstated' })],
    ['announces more than there is and ignores Range', { ranges: false }, () => ({ kind: 'overstated' })],
  ])('gives up after its retries where the server %s', async (_, file, fault) => {
    serve(file, fault);
    await expect(fetchFile(3)).rejects.toThrow(TransferError);
    expect(server.requests).toHaveLength(4);
  });

  it('gives up as soon in the next run, which has a part already', async () => {
    serve({ ranges: false }, () => ({ kind: 'drop', after: 4 * MIB }));
    await expect(fetchFile(0)).rejects.toThrow(TransferError);
    await expect(fetchFile(2)).rejects.toThrow(TransferError);
    expect(server.requests).toHaveLength(1 + 3);
  });

  it('goes on for as long as each attempt gets further', async () => {
    serve({}, (request) => (request < 5 ? { kind: 'drop', after: MIB } : undefined));
    expect(readFileSync(await fetchFile(1))).toEqual(content);
    expect(server.requests).toHaveLength(6);
  });

  it('goes on where attempts that start over get further each time', async () => {
    serve({ ranges: false }, (request) =>
      request < 4 ? { kind: 'drop', after: (request + 1) * 1.2 * MIB } : undefined,
    );
    expect(readFileSync(await fetchFile(1))).toEqual(content);
    expect(server.requests).toHaveLength(5);
  });
});
