// @ts-check
/**
 * Run by vitest before each test file: writes which functions of src the file executes in its own process, as
 * `{ "test": "test/x.test.ts", "functions": ["src/x.ts readX"] }` in a file of the folder of MUTATION_RECORDS.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

afterAll(async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const test = relative(root, expect.getState().testPath ?? '');
  const executed = result
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(join(root, 'src/')))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0))
        .map(({ functionName }) => `${relative(root, fileURLToPath(url))} ${functionName}`),
    );
  const folder = process.env['MUTATION_RECORDS'] ?? '';
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${test.replaceAll('/', '+')}.json`),
    JSON.stringify({ test, functions: [...new Set(executed)] }),
  );
});
