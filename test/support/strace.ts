/** Whether tests can watch and kill a program at its system calls. */

import { spawnSync } from 'node:child_process';
import { have, oracleNote } from './programs.ts';

/** Whether strace is installed and may trace here. */
export const canTrace = have('strace') && spawnSync('strace', ['-e', 'trace=none', 'true']).status === 0;

/** For test titles: ` (skipped: strace may not trace here)`, or nothing. */
export const traceNote =
  have('strace') && !canTrace ? ' (skipped: strace may not trace here)' : oracleNote('strace');
