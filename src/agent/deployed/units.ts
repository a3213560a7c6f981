/** Units as they stand: whether they start, and each of their lines. Comments mean nothing. */

import type { Unit } from '../../ignition/config.ts';
import { readUnit } from '../../formats/unitFile.ts';
import type { LintedUnit, UnitSetting } from '../lint/subject.ts';
import { type Entry, say, sayBytes } from './entry.ts';

/** A unit that starts no agent: consoles by their settings, all others under their name. */
export function readUnitEntries({ name, unit, settings }: LintedUnit): Entry[] {
  const device = /^serial-getty@(tty[^/]+)\.service$/.exec(name)?.[1];
  if (device !== undefined && unit.enabled === true && isStateAlone(unit))
    return [say('host.consoles', device)];
  const setting = isAutologin(unit, settings) ? 'host.autologin' : `unit ${name}`;
  const start = setting === 'host.autologin' ? `${name}: ` : '';
  const entries = [
    ...readState(setting, unit, start),
    ...settings.map((line) => sayLine(setting, line, start)),
  ];
  return entries.length === 0 ? [say(setting, 'nothing else')] : entries;
}

function isStateAlone({ contents = '', dropins = [], mask = false }: Unit): boolean {
  return contents === '' && dropins.length === 0 && !mask;
}

function isAutologin({ contents = '', dropins = [] }: Unit, settings: readonly UnitSetting[]): boolean {
  const logsIn = settings.some(({ value }) => /agetty .*--autologin /.test(value));
  return contents === '' && dropins.length > 0 && logsIn;
}

/** Everything about a unit but its lines. */
export function readState(
  setting: string,
  { contents = '', dropins = [], enabled, mask }: Unit,
  start = '',
): Entry[] {
  return [
    ...(enabled === undefined ? [] : [say(setting, `${start}${enabled ? 'enabled' : 'disabled'}`)]),
    ...(mask === true ? [say(setting, `${start}masked`)] : []),
    ...readBroken(setting, `${start}lines that cannot be read: `, contents),
    ...dropins.flatMap(({ name = '', contents: text = '' }) => [
      say(setting, `${start}drop-in ${name}`),
      ...readBroken(setting, `${start}lines of ${name} that cannot be read: `, text),
    ]),
  ];
}

function readBroken(setting: string, start: string, contents: string): Entry[] {
  // For Ignition such a comment goes on in the next line, for systemd it does not.
  const isTwofold = /^[ \t]*[#;][^\n]*\\[ \t\r]*$/m.test(contents);
  if (isTwofold || 'error' in readUnit(contents)) return [sayBytes(setting, start, Buffer.from(contents))];
  const stray = strayLines(contents).join('\n');
  return stray === '' ? [] : [sayBytes(setting, start, Buffer.from(stray))];
}

/** What stands before the first section, where systemd only complains about it. */
function strayLines(contents: string): string[] {
  const lines = contents.split('\n').map((line) => line.trim());
  const section = lines.findIndex((line) => line.startsWith('['));
  return lines
    .slice(0, section < 0 ? lines.length : section)
    .filter((line) => line !== '' && !/^[#;]/.test(line));
}

/** One line, continuations joined. */
export function sayLine(setting: string, { section, name, value }: UnitSetting, start = ''): Entry {
  return say(setting, `${start}[${section}] ${name}=${value}`);
}
