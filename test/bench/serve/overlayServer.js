// @ts-check
/**
 * The server of `../serve.js`, in a process of its own: `/HOST.iso` is one base file with the patch of that host. Started
 * with the path of the base; tells its parent the port, and what it has used so far whenever it gets a message.
 */

import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { overlay } from '../../../src/image/overlay.ts';
import { openImage } from '../../../src/io/imageFile.ts';
import { createChunkMemory } from '../../../src/io/server/chunkMemory.ts';
import { sendBody } from '../../../src/io/server/sendBody.ts';
import { answerFor } from '../../../src/serve/answer.ts';
import { hostPatch } from './hostPatch.js';

const [path = ''] = process.argv.slice(2);
const base = await openImage(path, { cwd: '/' });
const memory = createChunkMemory(48 * 1024 * 1024);

const server = createServer((request, response) => {
  answer(request, response).catch(() => undefined); // clients that go away are a part of it
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('message', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.send?.({ cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS / 1024, lent: memory.lent });
});
process.on('disconnect', () => process.exit());

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function answer(request, response) {
  const resource = resourceOf(Number(/^\/(\d+)\.iso$/.exec(request.url ?? '')?.[1]));
  const { status, headers, parts } = answerFor({ method: 'GET', headers: request.headers }, resource);
  response.writeHead(status, headers);
  await sendBody({ response, source: resource, parts, memory, sent: () => undefined, idleTimeout: 60_000 });
}

/** @param {number} host */
function resourceOf(host) {
  const image = overlay(base, [hostPatch(host, base.size)]);
  return {
    ...image,
    artifact: /** @type {const} */ ('iso'),
    host: String(host),
    fileName: `${host}.iso`,
    contentType: 'application/x-iso9660-image',
    etag: `"${createHash('sha256').update(String(host)).digest('base64url')}"`,
    lastModified: new Date(0),
  };
}
