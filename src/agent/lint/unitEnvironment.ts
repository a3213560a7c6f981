/** Variables in the commands of units that nothing sets, and files with variables that nothing writes. */

import { warningRule, type Issue } from '../../ignition/rule.ts';
import { variableNames } from '../../formats/systemdQuoting.ts';
import { ifWellFormed } from '../../core/errors.ts';
import {
  brokenSetting,
  effectiveSettings,
  type LintedUnit,
  type LintSubject,
  readInlineText,
  splitVariables,
  type UnitSetting,
} from './subject.ts';

export const unitEnvironmentRules = {
  file: warningRule(
    'agent-unit-environment-file',
    'the config does not write the file, so the unit does not start',
    'write the file, or add a dash: EnvironmentFile=-/etc/FILE',
  ),
  variable: warningRule(
    'agent-unit-variable',
    'a variable of the command is not set, so systemd passes an empty text',
    'add Environment=NAME=VALUE to the section [Service], or write $$ for a literal dollar sign',
  ),
};

/** Another config, or a file for systemd that the config writes, may set variables and write files. */
export function checkUnitEnvironment(subject: LintSubject): Issue[] {
  const { activeUnits, files, isComplete } = subject;
  if (!isComplete || files.some(({ name }) => name.startsWith('/etc/systemd/'))) return [];
  return activeUnits
    .filter(({ unit }) => (unit.contents ?? '') !== '')
    .flatMap((unit) => [...checkFiles(unit, subject), ...checkVariables(unit, subject)]);
}

/** Files that CoreOS contains, or that programs of CoreOS write. */
const osFile = /^\/etc\/(?:environment|hostname|locale\.conf|machine-info|os-release|vconsole\.conf|.+\/.+)$/;

function checkFiles({ settings }: LintedUnit, subject: LintSubject): Issue[] {
  return effectiveSettings(settings, 'EnvironmentFile').flatMap((setting) => {
    const { value } = setting;
    const isChecked = /^\/etc\/[\w./-]+$/.test(value) && (!osFile.test(value) || value.includes('ironic'));
    if (!isChecked || subject.filesByPath.has(value) || mayBeWritten(value, subject)) return [];
    const hint = `write the file, or ignore its absence: EnvironmentFile=-${value}`;
    return [brokenSetting(unitEnvironmentRules.file, setting, { hint })];
  });
}

/** Whether a command, a script or a link of the config contains the path. */
function mayBeWritten(path: string, { config, files, units }: LintSubject): boolean {
  const values = units.flatMap(({ settings }) => settings.filter(({ name }) => name !== 'EnvironmentFile'));
  return (
    values.some(({ value }) => value.includes(path)) ||
    files.some(({ file }) => readInlineText(file.contents)?.includes(path) ?? true) ||
    (config.storage?.links ?? []).some((link) => link.path === path)
  );
}

/** systemd.exec(5), "Environment variables in spawned processes"; kernel arguments may set proxies. */
const isSetBySystemd =
  /^(?:PATH|LANG|LC_\w+|USER|LOGNAME|HOME|SHELL|TERM|\w*_DIRECTORY|\w*PID|INVOCATION_ID|XDG_\w+|LISTEN_\w+|NOTIFY_\w+|WATCHDOG_\w+|SYSTEMD_\w+|JOURNAL_STREAM|LOG_NAMESPACE|SERVICE_RESULT|EXIT_\w+|MONITOR_\w+|REMOTE_\w+|TRIGGER_\w+|MEMORY_\w+|CREDENTIALS_\w+|PIDFILE|FDSTORE|DEBUG_INVOCATION|\w+_proxy|\w+_PROXY)$/;

function checkVariables({ settings }: LintedUnit, subject: LintSubject): Issue[] {
  const known = setVariables(settings, subject);
  if (known === undefined) return [];
  return settings
    .filter(({ name }) => name.startsWith('Exec'))
    .flatMap((setting) => {
      const names = ifWellFormed(() => variableNames(setting.value)) ?? [];
      const missing = names.find((name) => !known.has(name) && !isSetBySystemd.test(name));
      if (missing === undefined) return [];
      const message = `the variable ${missing.slice(0, 60)} is not set, so systemd passes an empty text`;
      return [brokenSetting(unitEnvironmentRules.variable, setting, { message })];
    });
}

/** Undefined if a file with variables is not in the config. */
function setVariables(
  settings: readonly UnitSetting[],
  { filesByPath }: LintSubject,
): ReadonlySet<string> | undefined {
  const texts = effectiveSettings(settings, 'EnvironmentFile').map(({ value }) => {
    const file = filesByPath.get(value.replace(/^-/, ''))?.file;
    return (file?.append ?? []).length > 0 ? undefined : readInlineText(file?.contents);
  });
  if (texts.includes(undefined)) return undefined;
  const ofFiles = texts.flatMap((text = '') => [...text.matchAll(/^[ \t]*([A-Za-z_]\w*)=/gm)]);
  const assigned = effectiveSettings(settings, 'Environment').flatMap(splitVariables);
  const passed = effectiveSettings(settings, 'PassEnvironment').flatMap(({ value }) => value.split(/\s+/));
  return new Set([
    ...ofFiles.map(([, name = '']) => name),
    ...assigned.map(({ text }) => text.replace(/=.*$/s, '')),
    ...passed,
  ]);
}
