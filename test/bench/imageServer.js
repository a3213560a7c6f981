// @ts-check
/** Serves one file to the benchmarks, as a process of its own: prints its URL. */

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';

const [path = ''] = process.argv.slice(2);
const { size } = statSync(path);

const server = createServer(({ headers }, response) => {
  const [, start = 0, end = size - 1] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')?.map(Number) ?? [];
  const isPart = headers.range !== undefined;
  const last = Math.min(end, size - 1);
  response.writeHead(isPart ? 206 : 200, {
    etag: '"1"',
    'content-length': last - start + 1,
    ...(isPart && { 'content-range': `bytes ${start}-${last}/${size}` }),
  });
  createReadStream(path, { start, end: last, highWaterMark: 1024 * 1024 }).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') {
    process.stdout.write(`http://127.0.0.1:${address.port}/image.iso\n`);
  }
});
