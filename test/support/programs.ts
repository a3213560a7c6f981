/** Outside programs that tests compare with, where they are installed. */

import { spawnSync } from 'node:child_process';

/** Whether a program is on PATH; tests that need it skip with a title that says so. */
export function have(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v "$0"`, program]).status === 0;
}

/** For test titles: ` (skipped: xz is not installed)`, or nothing. */
export function missingNote(program: string): string {
  return have(program) ? '' : ` (skipped: ${program} is not installed)`;
}
