/** What `systemd-analyze verify` of this machine says of keys and sections in unit files; it starts nothing. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';

/** The release, such as 252; 0 where there is no systemd-analyze. */
export const systemdRelease = Number(
  /^systemd (\d+)/.exec(spawnSync('systemd-analyze', ['--version']).stdout?.toString() ?? '')?.[1] ?? 0,
);

/** For test titles. */
export const systemdReleaseNote = systemdRelease === 0 ? ' (skipped: systemd-analyze is not installed)' : '';

const complaint = new RegExp(
  [
    String.raw`^(.*?):\d+: (?:`,
    String.raw`Unknown key(?: name)? '(?<key>.*)' in section (?:\[(?<section>.*)\]|'(?<quoted>.*)'), ignoring\.`,
    String.raw`|Unknown section '(?<header>.*)'\. Ignoring\.`,
    String.raw`|(?<outside>Assignment outside of section)\. Ignoring\.`,
    String.raw`|Support for option (?<removed>\w+)= has been removed and it is ignored`,
    ')',
  ].join(''),
);

/**
 * By the name of the file: `[SECTION]KEY`, `[SECTION]`, `outside`, or the name alone of a key whose support was removed,
 * each once. The files are units and drop-ins, by their names below one folder.
 */
export function systemdComplaints(
  files: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'units-'));
  try {
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const units = [...files.keys()].filter((name) => !name.includes('/'));
    return parse(verify(units, folder), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function verify(units: readonly string[], folder: string): string {
  const env = { PATH: '/usr/bin:/bin', HOME: '/', LC_ALL: 'C.UTF-8', SYSTEMD_UNIT_PATH: folder };
  const args = ['verify', '--man=no', '--recursive-errors=no', ...units];
  return spawnSync('systemd-analyze', args, {
    cwd: folder,
    env,
    timeout: 60_000,
    maxBuffer: 1 << 28,
  }).stderr.toString();
}

function parse(text: string, folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const complaints = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const found = complaint.exec(line);
    if (found?.groups === undefined) continue;
    const [, file = ''] = found;
    const { key, section, quoted, header, outside, removed } = found.groups;
    const name = file.slice(file.indexOf(folder) + folder.length + 1);
    const known = complaints.get(name) ?? new Set();
    if (key !== undefined) known.add(`[${section ?? quoted}]${key}`);
    else if (header !== undefined) known.add(`[${header}]`);
    else known.add(outside === undefined ? (removed ?? '') : 'outside');
    complaints.set(name, known);
  }
  return complaints;
}
