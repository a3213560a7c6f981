/**
 * Values in units that systemd ignores, and units that it refuses. The checks are those of systemd's
 * `src/core/load-fragment.c` and `service_verify()` in `src/core/service.c`. Values with specifiers are not checked.
 */

import { quoteText } from '../../core/foreignText.ts';
import { type Issue, lintError, lintWarning } from '../../core/rule.ts';
import { nearestName } from '../../core/nearestNames.ts';
import type { Problem } from '../../core/finding.ts';
import { broken, brokenSetting, type LintedUnit, splitVariables, type UnitSetting } from './subject.ts';

export const unitValueRules = {
  value: lintWarning(
    'agent-unit-value',
    'systemd ignores the value: the key does not support it',
    'use a value that systemd.directives(7) describes for the key',
  ),
  refused: lintError(
    'agent-unit-refused',
    'systemd refuses the unit, so it never starts',
    'fix the setting; "systemd-analyze verify UNIT" checks a unit',
  ),
};

export function checkUnitValues(unit: LintedUnit): Issue[] {
  const issues = checkName(unit);
  for (const setting of unit.settings) {
    const problem = findValueProblem(setting);
    if (problem !== undefined) issues.push(brokenSetting(unitValueRules.value, setting, problem));
  }
  if (!unit.name.endsWith('.service')) return issues;
  for (const issue of checkService(unit.settings)) issues.push(issue);
  return issues;
}

const unitSuffixes = 'service socket device mount automount swap target path timer slice scope'.split(' ');
const unitName = new RegExp(`^[\\w:.\\\\@-]{1,250}\\.(?:${unitSuffixes.join('|')})$`);

/** Ignition checks only the suffix. */
function checkName({ name, path }: LintedUnit): Issue[] {
  if (unitName.test(name) || !unitSuffixes.some((suffix) => name.endsWith(`.${suffix}`))) return [];
  const message = `systemd ignores the unit: ${quoteText(name)} is not a valid name`;
  const hint = `use ${name.replaceAll(/[^\w:.\\@-]+/g, '-').slice(0, 80)}`;
  return [broken(unitValueRules.refused, [...path, 'name'], { message, hint })];
}

const yesOrNo = ['yes', 'no'];
const OUTPUTS = 'inherit null tty journal journal+console kmsg kmsg+console syslog syslog+console socket fd';

/** The values of keys with a fixed set, by section. */
const choices: Readonly<Record<string, readonly string[]>> = {
  'Service.Type': 'simple exec forking oneshot dbus notify notify-reload idle'.split(' '),
  'Service.Restart': 'no on-success on-failure on-abnormal on-watchdog on-abort always'.split(' '),
  'Service.NotifyAccess': ['none', 'main', 'exec', 'all'],
  'Service.KillMode': ['control-group', 'process', 'mixed', 'none'],
  'Service.StandardOutput': OUTPUTS.split(' '),
  'Service.StandardError': OUTPUTS.split(' '),
  'Service.RemainAfterExit': yesOrNo,
  'Service.SendSIGKILL': yesOrNo,
  'Unit.DefaultDependencies': yesOrNo,
};

const BOOLEANS = /^(?:1|0|yes|no|y|n|true|false|t|f|on|off)$/i;

const timeKeys =
  `Service.RestartSec Service.TimeoutSec Service.TimeoutStartSec Service.TimeoutStopSec Service.WatchdogSec
  Service.RuntimeMaxSec Unit.StartLimitIntervalSec Unit.JobTimeoutSec Timer.OnBootSec Timer.OnActiveSec
  Timer.OnStartupSec Timer.OnUnitActiveSec Timer.OnUnitInactiveSec`.split(/\s+/);

/** A number with or without a unit, as `parse_time()` of systemd reads it. */
const TIME_PART =
  /(?:\d+(?:\.\d*)?|\.\d+)\s*(?:(?:[uµμm]?sec|[uµμm]s|seconds?|s|minutes?|min|months?|M|m|hours?|hr|h|days?|d|weeks?|w|years?|y)(?![A-Za-zµμ]))?/g;

const unitLists =
  `Unit.After Unit.Before Unit.Wants Unit.Requires Unit.Requisite Unit.BindsTo Unit.PartOf Unit.Upholds
  Unit.Conflicts Unit.OnFailure Unit.OnSuccess Install.WantedBy Install.RequiredBy Install.Also`.split(/\s+/);

type FindProblem = (setting: UnitSetting) => Problem | undefined;

/** What finds the problem of a value, by section and key. */
const valueChecks: ReadonlyMap<string, FindProblem> = new Map<string, FindProblem>([
  ...Object.entries(choices).map(([key, values]): [string, FindProblem] => [
    key,
    (setting) => findChoiceProblem(setting, values),
  ]),
  ...timeKeys.map((key): [string, FindProblem] => [key, findTimeProblem]),
  ...unitLists.map((key): [string, FindProblem] => [key, findListProblem]),
  ['Service.EnvironmentFile', findPathProblem],
  ['Unit.ConditionPathExists', findPathProblem],
]);

/** In some section. */
const checkedKeys = new Set(Array.from(valueChecks.keys(), (key) => key.replace(/^.*\./, '')));

/** `Environment=` is checked in every section. */
function findValueProblem(setting: UnitSetting): Problem | undefined {
  const { name, section, value } = setting;
  if (value === '' || (value.includes('%') && /%[^%]/.test(value))) return undefined;
  if (name === 'Environment') {
    // The words are not shown, because they may be parts of a secret.
    if (splitVariables(setting).every(({ text }) => /^[A-Za-z_]\w*=/.test(text))) return undefined;
    const message = 'systemd ignores a word, because it is not of the form NAME=VALUE';
    return { message, hint: 'put an assignment that contains spaces in quotes: "NAME=some words"' };
  }
  return checkedKeys.has(name) ? valueChecks.get(`${section}.${name}`)?.(setting) : undefined;
}

/** Outputs such as `file:/var/log/x` have an argument. */
function findChoiceProblem({ name, value }: UnitSetting, values: readonly string[]): Problem | undefined {
  if (values.includes(value) || value.includes(':')) return undefined;
  if (values === yesOrNo && BOOLEANS.test(value)) return undefined;
  const nearest = nearestName(value.toLowerCase(), values);
  const hint = nearest === undefined ? `use one of: ${values.join(', ')}` : `use ${name}=${nearest}`;
  return { message: 'systemd ignores the value, because it is not one of the allowed values', hint };
}

function findTimeProblem({ value }: UnitSetting): Problem | undefined {
  if (value === 'infinity' || value.replaceAll(TIME_PART, '').trim() === '') return undefined;
  const hint = 'use a number with a unit, such as 30s, 5min or 1h, or use infinity';
  return { message: 'systemd ignores the value, because it is not a time span', hint };
}

function findPathProblem({ name, value }: UnitSetting): Problem | undefined {
  const [, prefix = '', path = ''] = /^([-|!]*)(.*)$/s.exec(value) ?? [];
  if (path.startsWith('/')) return undefined;
  const hint = `use an absolute path, such as ${name}=${prefix}/etc/FILE`;
  return { message: 'systemd ignores the path, because it is not absolute', hint };
}

/** Targets that units commonly belong to. */
const targets = ['multi-user', 'basic', 'sysinit', 'default', 'graphical', 'network-online'];

function findListProblem({ value }: UnitSetting): Problem | undefined {
  if (unitName.test(value)) return undefined;
  const word = value.split(/\s+/).find((name) => !unitName.test(name));
  if (word === undefined) return undefined;
  const shown = /^[\w.@:,-]{1,80}$/.test(word) ? word : 'a word';
  const nearest = nearestName(word.replace(/\.target$/, ''), targets);
  const unit = nearest === undefined ? 'NAME.service or NAME.target' : `${nearest}.target`;
  const message = `systemd ignores ${shown}, because it is not the name of a unit`;
  return { message, hint: `use ${unit}, and separate names with spaces` };
}

function checkService(settings: readonly UnitSetting[]): Issue[] {
  // The last values that systemd accepts; it ignores others.
  let type = 'simple';
  let restart = 'no';
  let lastRestart: UnitSetting | undefined;
  let starts: UnitSetting[] = [];
  const relativeCommands: Issue[] = [];
  const relativeFolders: Issue[] = [];
  const openQuotes: UnitSetting[] = [];
  for (const setting of settings) {
    const { name, section, value } = setting;
    if (section !== 'Service') continue;
    if (name === 'Type' && isAccepted(setting)) type = value;
    if (name === 'Restart') {
      lastRestart = setting;
      if (isAccepted(setting)) restart = value;
    }
    if (name === 'ExecStart') {
      if (value === '') starts = [];
      else starts.push(setting);
    }
    if (isBrokenCommand(setting)) openQuotes.push(setting);
    if (isRelativeCommand(setting)) relativeCommands.push(refused(setting, relativeCommand));
    if (setting.name === 'WorkingDirectory' && /^[^/%~-]/.test(setting.value))
      relativeFolders.push(refused(setting, relativeFolder));
  }
  const isRepeated = type === 'oneshot' && (restart === 'always' || restart === 'on-success');
  const last = starts.at(-1);
  const isAmbiguous = type !== 'oneshot' && starts.flatMap(({ commands }) => commands).length > 1;
  // systemd skips a broken command, but a service needs one command.
  const isOnlyStart = ({ name }: UnitSetting): boolean => name === 'ExecStart' && starts.length === 1;
  const brokenCommands = openQuotes.filter((setting) => isOnlyStart(setting) || !isSkippable(setting));
  return [
    ...(lastRestart !== undefined && isRepeated ? [refused(lastRestart, oneshotRestart)] : []),
    ...(last !== undefined && isAmbiguous ? [refused(last, severalCommands)] : []),
    ...relativeCommands,
    ...relativeFolders,
    ...brokenCommands.map((setting) => refused(setting, unclosedQuote)),
  ];
}

function isAccepted({ name, value }: UnitSetting): boolean {
  return choices[`Service.${name}`]?.includes(value) === true;
}

function refused(setting: UnitSetting, problem: Problem): Issue {
  return brokenSetting(unitValueRules.refused, setting, problem);
}

const refuses = unitValueRules.refused.message;
const oneshotRestart: Problem = {
  message: `${refuses}: a service of Type=oneshot does not support Restart=always and Restart=on-success`,
  hint: 'use Restart=on-failure',
};
const severalCommands: Problem = {
  message: `${refuses}: only a service of Type=oneshot can have several commands`,
  hint: 'use ExecStartPre= for all commands before the last one',
};
const relativeCommand: Problem = {
  message: `${refuses}: the path of the program is relative`,
  hint: 'write the path with a leading slash, such as /usr/bin/podman',
};
const relativeFolder: Problem = {
  message: `${refuses}: the path of the folder is relative`,
  hint: 'write the path with a leading slash',
};

const unclosedQuote: Problem = {
  message: `${refuses}: a quote of the command is not closed`,
  hint: 'close the quote, or write \\" for a literal quote',
};

/** Whether a quote of a command is not closed. */
export function isBrokenCommand({ openQuote }: UnitSetting): boolean {
  return openQuote !== undefined;
}

/** Whether systemd ignores a broken command: one with the prefix "-", or whose program has the quote. */
export function isSkippable({ value, openQuote }: UnitSetting): boolean {
  return /^[@:+!|]*-/.test(value) || openQuote === 0;
}

/** systemd searches for a program without a slash; a command with the prefix "-" is ignored. */
function isRelativeCommand({ name, value }: UnitSetting): boolean {
  if (!name.startsWith('Exec') || value.startsWith('/')) return false;
  const program = /^[@:+!|]*([^\s"'%$-]+)/.exec(value)?.[1] ?? '';
  return program.includes('/') && !program.startsWith('/');
}
