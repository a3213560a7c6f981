/** One temporary folder for all tests of a run: what a module makes when all of its tests are skipped goes with it. */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For `globalSetup` of vitest; the workers inherit the variable. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  chmodSync(folder, 0o755); // tests start programs as other users
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
