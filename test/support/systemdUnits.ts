/** What the systemd of this machine makes of unit files; it runs in its test mode, which starts nothing. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const systemd = '/usr/lib/systemd/systemd';

/** The command lines and environment of each unit, as systemd prints them, by the names of the units. */
export function readUnits(units: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'units '));
  try {
    for (const [name, text] of Object.entries(units)) writeFileSync(join(folder, name), text);
    const wanted = Object.keys(units).join(' ');
    writeFileSync(join(folder, 'all.target'), `[Unit]\nDefaultDependencies=no\nWants=${wanted}\n`);
    return parseDump(dump(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Root may not run the test mode of the system manager, so it becomes nobody. */
function dump(folder: string): string {
  const command = [systemd, '--test', '--system', '--no-pager', '--unit=all.target'];
  const isRoot = process.getuid?.() === 0;
  const [program = '', ...args] = isRoot
    ? ['setpriv', '--reuid=65534', '--clear-groups', ...command]
    : command;
  if (isRoot) spawnSync('chmod', ['-R', 'a+rX', folder]);
  const env = { PATH: '/usr/bin:/bin', HOME: '/', LC_ALL: 'C.UTF-8', SYSTEMD_UNIT_PATH: folder };
  return spawnSync(program, args, { env, timeout: 120_000, maxBuffer: 1 << 28 }).stdout.toString();
}

function parseDump(text: string): ReadonlyMap<string, readonly string[]> {
  const units = text.split(/^\t-> Unit /m).slice(1);
  return new Map(
    units.map((unit) => {
      const name = unit.slice(0, unit.indexOf(':'));
      return [name, unit.match(/(?<=^\t\t*)(?:Command Line|Environment): .*$/gm) ?? []];
    }),
  );
}

/** Whether it works here: containers may lack what systemd wants. */
export const hasSystemd =
  readUnits({ 'a.service': '[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=/bin/true\n' }).get(
    'a.service',
  )?.length === 1;

/** For test titles. */
export const systemdNote = hasSystemd ? '' : ' (skipped: systemd does not run in its test mode here)';
