/**
 * Lint of units: whether the agent's units start, and restart after a failure; variables of all units that nothing sets, and
 * files with variables that nothing writes.
 */

import { posix } from 'node:path';
import { nearestName } from '../../core/nearestNames.ts';
import { type Issue, lintError, lintNote, lintWarning, type Rule } from '../../core/rule.ts';
import {
  broken,
  brokenSetting,
  effectiveSettings,
  isAgentUnitName,
  type LintedUnit,
  type LintSubject,
  readInlineText,
  splitVariables,
  type UnitCommand,
  type UnitSetting,
} from './subject.ts';
import { isOptionSet, optionValues } from './podmanCommand.ts';
import { ifWellFormed } from '../../core/errors.ts';
import { variableNames } from '../../formats/systemdQuoting.ts';

export const agentUnitRules = {
  notEnabled: lintError(
    'agent-unit-not-enabled',
    'the unit never starts, because it is not enabled',
    'set "enabled" to true and add an [Install] section to the unit',
  ),
  command: lintError(
    'agent-unit-command',
    'the unit has no command',
    'add ExecStart=/bin/podman run … IMAGE to the section [Service]',
  ),
  image: lintError(
    'agent-unit-image',
    'the command has no container image',
    'append the image of the agent, such as registry.example.com/ironic-agent',
  ),
  restart: lintNote(
    'agent-unit-restart',
    'the unit does not restart after a failure, for example when the registry is briefly unreachable',
    'add Restart=on-failure and RestartSec=5 to the section [Service]',
  ),
  timeout: lintNote(
    'agent-unit-timeout',
    'systemd stops the command if the pull of the image takes more than 90 seconds',
    'add TimeoutStartSec=0 to the section [Service]',
  ),
  type: lintError(
    'agent-unit-type',
    'Type= does not match how podman runs the container, so systemd stops or restarts the agent',
    'use Type=notify with --detach --sdnotify=conmon --cgroups=no-conmon, or remove Type= and --detach',
  ),
  nameTaken: lintWarning(
    'agent-unit-name-taken',
    'the unit cannot start twice, because its first container still has the name',
    'add --rm and --replace to the command that runs the container',
  ),
};

export function checkUnits({ activeUnits }: LintSubject): Issue[] {
  const own = activeUnits.filter((unit) => unit.runs.length > 0 || isAgentUnitName(unit.name));
  return [
    ...own.flatMap((unit) => [
      ...checkStart(unit),
      ...checkPrograms(unit),
      ...checkTimeout(unit),
      ...checkType(unit),
    ]),
    ...activeUnits.flatMap((unit) => {
      const isRestarted = unit.runs.length > 0 && restarts(unit);
      return unit.runs.flatMap((run) => checkRun(run, isRestarted));
    }),
  ];
}

/** A unit without contents belongs to the OS or to another config; it may have a drop-in. */
function checkStart(linted: LintedUnit): Issue[] {
  const { name, unit, path, settings } = linted;
  if (!unit.contents || settings.length === 0) return [];
  const issueAt = (rule: Rule, member: string): Issue => broken(rule, [...path, member], { about: name });
  const hasCommand = effectiveSettings(settings, 'ExecStart').length > 0;
  return [
    ...(unit.enabled === true ? [] : [issueAt(agentUnitRules.notEnabled, 'enabled')]),
    ...(hasCommand ? [] : [issueAt(agentUnitRules.command, 'contents')]),
    ...(restarts(linted) ? [] : [issueAt(agentUnitRules.restart, 'contents')]),
  ];
}

function restarts({ settings }: LintedUnit): boolean {
  return (effectiveSettings(settings, 'Restart').at(-1)?.value ?? 'no') !== 'no';
}

/** Misspelled names of podman and of its commands. */
function checkPrograms({ execs }: LintedUnit): Issue[] {
  const commands = execs.flatMap((setting) => setting.commands.map((words) => ({ setting, words })));
  return commands.flatMap(({ setting, words: [program, verb] }) => {
    const name = posix.basename(program?.text.replace(/^[-@:+!|]+/, '') ?? '');
    const isPodman = name === 'podman';
    const given = isPodman ? (verb?.text ?? '') : name;
    const nearest = nearestName(given, isPodman ? ['create', 'pull', 'run'] : ['podman']);
    if (nearest === undefined || nearest === given || !/^[\w-]+$/.test(given)) return [];
    const message = isPodman ? `podman has no command ${given}` : `CoreOS has no program ${given}`;
    return [brokenSetting(agentUnitRules.command, setting, { message, hint: `use ${nearest}` })];
  });
}

/** The default time for each command before the start; none for oneshot services. */
function checkTimeout({ pulls, runs, settings }: LintedUnit): Issue[] {
  const pull = pulls.find(({ setting }) => runs.length > 0 && setting.name === 'ExecStartPre');
  const isChosen = settings.some(({ name, value }) => {
    return /^Timeout(?:Start)?Sec$/.test(name) || (name === 'Type' && value === 'oneshot');
  });
  return pull === undefined || isChosen ? [] : [brokenSetting(agentUnitRules.timeout, pull.setting)];
}

/** How systemd learns that the agent has started, and what it does if it learns that too early or never. */
function checkType({ runs, settings }: LintedUnit): Issue[] {
  const valueOf = (...names: readonly string[]): string | undefined =>
    settings.findLast(({ name, section }) => section === 'Service' && names.includes(name))?.value;
  const type = valueOf('Type') ?? 'simple';
  const isEndless = /^(?:infinity|0+\s*[a-z]*)$/.test(valueOf('TimeoutStartSec', 'TimeoutSec') ?? '');
  const isRepeated = ['always', 'on-success'].includes(valueOf('Restart') ?? '');
  return runs.flatMap(({ podman, setting }) => {
    if (setting.name !== 'ExecStart' || !podman.isSure) return [];
    const isDetached = isOptionSet(podman, 'detach') || isOptionSet(podman, 'd');
    const notifier = optionValues(podman, 'sdnotify').at(-1)?.text ?? 'container';
    if (type.startsWith('notify') && !['conmon', 'healthy'].includes(notifier) && !isEndless) {
      const message = `with Type=${type}, systemd stops the unit after TimeoutStartSec, because the agent does not notify it`;
      const hint = 'add --sdnotify=conmon --cgroups=no-conmon to the command';
      return [brokenSetting(agentUnitRules.type, setting, { message, hint })];
    }
    if (type === 'forking' && !isDetached && !isEndless) {
      const message =
        'with Type=forking, systemd stops the unit after TimeoutStartSec, because podman does not exit';
      return [brokenSetting(agentUnitRules.type, setting, { message, hint: 'remove Type=forking' })];
    }
    if (!['simple', 'exec', 'idle'].includes(type) || !isDetached || !isRepeated) return [];
    const message = 'podman exits at once because of --detach, so systemd restarts the agent again and again';
    return [brokenSetting(agentUnitRules.type, setting, { message, hint: 'remove --detach (-d)' })];
  });
}

function checkRun({ setting, podman }: UnitCommand, isRestarted: boolean): Issue[] {
  const { name, path, unitName: about } = setting;
  const isImageMissing = podman.isSure && podman.operands.length === 0 && !isOptionSet(podman, 'rootfs');
  const isNameKept =
    isRestarted &&
    optionValues(podman, 'name').length > 0 &&
    !isOptionSet(podman, 'rm') &&
    !isOptionSet(podman, 'replace');
  const message = `${name}= runs a container without an image`;
  return [
    ...(isImageMissing ? [broken(agentUnitRules.image, path, { about, message })] : []),
    ...(isNameKept ? [broken(agentUnitRules.nameTaken, path, { about })] : []),
  ];
}

export const unitEnvironmentRules = {
  file: lintError(
    'agent-unit-environment-file',
    'the config does not write the file, so the unit does not start',
    'write the file, or add a dash: EnvironmentFile=-/etc/FILE',
  ),
  variable: lintWarning(
    'agent-unit-variable',
    'a variable of the command is not set, so systemd replaces it with nothing',
    'add Environment=NAME=VALUE to the section [Service], or write $$ for a literal dollar sign',
  ),
};

/** Another config, or a file for systemd that the config writes, may set variables and write files. */
function knowsEnvironment({ files, isComplete }: LintSubject): boolean {
  return isComplete && !files.some(({ name }) => name.startsWith('/etc/systemd/'));
}

/** The check of a unit for variables of its commands. */
export function createVariableCheck(subject: LintSubject): (unit: LintedUnit) => Issue[] {
  if (!knowsEnvironment(subject)) return () => [];
  return (unit) => ((unit.unit.contents ?? '') === '' ? [] : checkVariables(unit, subject));
}

/** Files that CoreOS contains, or that programs of CoreOS write. */
const OS_FILE =
  /^\/etc\/(?:environment|hostname|locale\.conf|machine-info|os-release|vconsole\.conf|.+\/.+)$/;

/** For each one, the whole config is searched. More than a config of a machine has. */
const MOST_FILES = 100;

/** The check of a unit for files with variables. */
export function createEnvironmentFileCheck(subject: LintSubject): (unit: LintedUnit) => Issue[] {
  if (!knowsEnvironment(subject)) return () => [];
  let searched = 0;
  return ({ settings, unit }) => {
    if ((unit.contents ?? '') === '') return [];
    return effectiveSettings(settings, 'EnvironmentFile').flatMap((setting) => {
      const { value } = setting;
      const isChecked = /^\/etc\/[\w./-]+$/.test(value) && (!OS_FILE.test(value) || value.includes('ironic'));
      if (!isChecked || subject.filesByPath.has(value) || searched >= MOST_FILES) return [];
      searched += 1;
      if (mayBeWritten(value, subject)) return [];
      const hint = `write the file, or ignore its absence: EnvironmentFile=-${value}`;
      return [brokenSetting(unitEnvironmentRules.file, setting, { hint })];
    });
  };
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
const IS_SET_BY_SYSTEMD =
  /^(?:PATH|LANG|LC_\w+|USER|LOGNAME|HOME|SHELL|TERM|\w*_DIRECTORY|\w*PID|INVOCATION_ID|XDG_\w+|LISTEN_\w+|NOTIFY_\w+|WATCHDOG_\w+|SYSTEMD_\w+|JOURNAL_STREAM|LOG_NAMESPACE|SERVICE_RESULT|EXIT_\w+|MONITOR_\w+|REMOTE_\w+|TRIGGER_\w+|MEMORY_\w+|CREDENTIALS_\w+|PIDFILE|FDSTORE|DEBUG_INVOCATION|\w+_proxy|\w+_PROXY)$/;

function checkVariables({ execs, settings }: LintedUnit, subject: LintSubject): Issue[] {
  if (!execs.some(({ value }) => value.includes('$'))) return [];
  const known = setVariables(settings, subject);
  if (known === undefined) return [];
  return execs.flatMap((setting) => {
    const names = ifWellFormed(() => variableNames(setting.value)) ?? [];
    const missing = names.find((name) => !known.has(name) && !IS_SET_BY_SYSTEMD.test(name));
    if (missing === undefined) return [];
    const message = `the variable ${missing.slice(0, 60)} is not set, so systemd replaces it with nothing`;
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
