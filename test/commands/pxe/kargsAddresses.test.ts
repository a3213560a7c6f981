/** URLs from which no machine can fetch: `pxe kargs` and `prepare` say so. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'addresses '));
afterAll(() => rmSync(cwd, { recursive: true }));

it.each([
  [
    'pxe kargs with a folder',
    ['pxe', 'kargs', '--base-url', 'https://localhost/i', '--embedded'],
    '--base-url: localhost is',
  ],
  [
    'pxe kargs with a file',
    ['pxe', 'kargs', '--rootfs-url', 'https://[::1]/r', '--embedded'],
    '--rootfs-url: ::1 is',
  ],
  [
    'prepare',
    ['prepare', '-o', 'out', '--base-url', 'https://127.0.0.1/boot', '--artifacts', 'ign'],
    '--base-url: 127.0.0.1 is',
  ],
])('%s', async (_title, args, message) => {
  const { code, stderr } = await runCli(args, { cwd, env: { IRONIC_BASE_URL: 'https://192.0.2.1' } });
  expect(code).toBe(0);
  expect(stderr.split(`warning: ${message} the booted machine itself`)).toHaveLength(2);
});
