/**
 * Which process has made a file, for other processes to tell whether it is still running. Process IDs mean something only
 * to those that see the same processes: the same start of the same machine and, on Linux, the same PID namespace.
 */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { crc32 } from 'node:zlib';
import { errorCode } from './files/fileErrors.ts';

/** A process as text, e.g. `4711-83012-5f2a90c1`: its ID, when it was started in ticks of the machine, and the system. */
const OWNER = /^([1-9]\d{0,9})-(\d{1,16})-([0-9a-f]{8})$/;

let own: string | undefined;
let ownSystem: string | undefined;

/** This process. */
export function thisProcess(): string {
  own ??= `${process.pid}-${startOf(process.pid)}-${system()}`;
  return own;
}

/** A process of this machine that is known by its ID alone. */
export function processWithId(pid: string): string {
  return `${pid}-0-${system()}`;
}

/** `elsewhere`: it cannot be seen from here whether the process is running. */
export type ProcessState = 'running' | 'ended' | 'elsewhere';

export function stateOf(owner: string): ProcessState {
  const [, pid = '', start, seenBy] = OWNER.exec(owner) ?? [];
  if (seenBy !== system()) return 'elsewhere';
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return 'ended'; // with EPERM it is another user's
  }
  return start === '0' || start === String(startOf(Number(pid))) ? 'running' : 'ended';
}

/** The time that tells a process from a later one with the same ID; 0 where the system does not show it. */
function startOf(pid: number): number {
  try {
    // Field 22. The name of the program, field 2, is in parentheses and may have blanks.
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? 0,
    );
  } catch {
    return 0;
  }
}

function system(): string {
  ownSystem ??= crc32(`${hostname()}
${bootAndNamespace()}`)
    .toString(16)
    .padStart(8, '0');
  return ownSystem;
}

function bootAndNamespace(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // not Linux
  }
}
