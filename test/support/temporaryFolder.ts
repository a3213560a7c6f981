/** One temporary folder for all tests of a run: what a module makes when all of its tests are skipped goes with it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For `globalSetup` of vitest; the workers inherit the variable. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tests '));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
