/** The units that run the agent: whether they start at all, and again after a failure. */

import type { Issue } from '../../ignition/rule.ts';
import { broken, warning } from './lintRule.ts';
import { isOptionSet, optionValues } from './podmanCommand.ts';
import {
  effectiveSettings,
  type LintedUnit,
  isAgentUnitName,
  type LintSubject,
  type UnitCommand,
} from './subject.ts';

export const agentUnitRules = {
  notEnabled: warning(
    'agent-unit-not-enabled',
    'nothing starts the unit: it is not enabled',
    'set "enabled" to true and give the unit an [Install] section',
  ),
  command: warning(
    'agent-unit-command',
    'the unit has no command',
    'add ExecStart=/bin/podman run … IMAGE to the section [Service]',
  ),
  image: warning(
    'agent-unit-image',
    'the command has no container image',
    'end it with the image of the agent, such as quay.io/metal3-io/ironic-agent',
  ),
  restart: warning(
    'agent-unit-restart',
    'the unit is not started again after a failure, be it that the registry does not answer once',
    'add Restart=on-failure and RestartSec=5 to the section [Service]',
  ),
  nameTaken: warning(
    'agent-unit-name-taken',
    'the unit cannot start twice: its first container keeps the name',
    'run the container with --rm and --replace',
  ),
};

export function checkUnits({ units, runs }: LintSubject): Issue[] {
  const runningUnits = new Set(runs.map(({ unitName }) => unitName));
  const own = units.filter(({ name, unit }) => {
    return (runningUnits.has(name) || isAgentUnitName(name)) && unit.mask !== true;
  });
  return [...own.flatMap((unit) => checkStart(unit)), ...runs.flatMap((run) => checkRun(run))];
}

/** A unit without contents is one of the OS or of another config, with a drop-in perhaps. */
function checkStart({ name, unit, path, settings }: LintedUnit): Issue[] {
  if (!unit.contents || settings.length === 0) return [];
  const message = (text: string): { message: string } => ({ message: `${name}: ${text}` });
  const contents = [...path, 'contents'];
  const restart = effectiveSettings(settings, 'Restart').at(-1)?.value ?? 'no';
  const hasCommand = effectiveSettings(settings, 'ExecStart').length > 0;
  return [
    ...(unit.enabled === true
      ? []
      : [
          broken(agentUnitRules.notEnabled, [...path, 'enabled'], message(agentUnitRules.notEnabled.message)),
        ]),
    ...(hasCommand
      ? []
      : [broken(agentUnitRules.command, contents, message(agentUnitRules.command.message))]),
    ...(restart === 'no'
      ? [broken(agentUnitRules.restart, contents, message(agentUnitRules.restart.message))]
      : []),
  ];
}

function checkRun({ unitName, setting, podman }: UnitCommand): Issue[] {
  const isImageMissing = podman.isSure && podman.operands.length === 0 && !isOptionSet(podman, 'rootfs');
  const isNameKept =
    optionValues(podman, 'name').length > 0 && !isOptionSet(podman, 'rm') && !isOptionSet(podman, 'replace');
  const say = (rule: typeof agentUnitRules.image, what: string): Issue =>
    broken(rule, setting.path, { message: `${unitName}: ${what}` });
  return [
    ...(isImageMissing
      ? [say(agentUnitRules.image, `${setting.name}= runs a container without an image`)]
      : []),
    ...(isNameKept ? [say(agentUnitRules.nameTaken, agentUnitRules.nameTaken.message)] : []),
  ];
}
