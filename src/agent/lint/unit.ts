/** Lint of the agent's units: whether they start, and restart after a failure. */

import type { Finding } from '../../core/finding.ts';
import { posix } from 'node:path';
import { nearestName } from '../../core/nearestNames.ts';
import { lintError, lintNote, lintWarning, type Rule } from '../../core/rule.ts';
import {
  broken,
  brokenSetting,
  effectiveSettings,
  isAgentUnitName,
  type LintedUnit,
  type LintSubject,
  type UnitCommand,
} from './subject.ts';
import { isOptionSet, optionValues } from './podmanCommand.ts';

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

export function checkUnits({ activeUnits }: LintSubject): Finding[] {
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
function checkStart(linted: LintedUnit): Finding[] {
  const { name, unit, path, settings } = linted;
  if (!unit.contents || settings.length === 0) return [];
  const issueAt = (rule: Rule, member: string): Finding => broken(rule, [...path, member], { about: name });
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
function checkPrograms({ execs }: LintedUnit): Finding[] {
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
function checkTimeout({ pulls, runs, settings }: LintedUnit): Finding[] {
  const pull = pulls.find(({ setting }) => runs.length > 0 && setting.name === 'ExecStartPre');
  const isChosen = settings.some(({ name, value }) => {
    return /^Timeout(?:Start)?Sec$/.test(name) || (name === 'Type' && value === 'oneshot');
  });
  return pull === undefined || isChosen ? [] : [brokenSetting(agentUnitRules.timeout, pull.setting)];
}

/** How systemd learns that the agent has started, and what it does if it learns that too early or never. */
function checkType({ runs, settings }: LintedUnit): Finding[] {
  const valueOf = (...names: readonly string[]): string | undefined =>
    settings.findLast(({ name, section }) => section === 'Service' && names.includes(name))?.value;
  const type = valueOf('Type') ?? 'simple';
  const isEndless = /^(?:infinity|0+\s*[a-z]*)$/.test(valueOf('TimeoutStartSec', 'TimeoutSec') ?? '');
  const isRepeated = ['always', 'on-success'].includes(valueOf('Restart') ?? '');
  return runs.flatMap(({ podman, setting }) => {
    if (setting.name !== 'ExecStart') return [];
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

function checkRun({ setting, podman }: UnitCommand, isRestarted: boolean): Finding[] {
  const { name, path, unitName: about } = setting;
  const isImageMissing = podman.operands.length === 0 && !isOptionSet(podman, 'rootfs');
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
