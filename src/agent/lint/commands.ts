/** Lint of the commands in units: operators of a shell, which systemd does not run, and programs that no CoreOS has. */

import { posix } from 'node:path';
import type { ExecWord } from '../../formats/systemdQuoting.ts';
import { type Issue, lintError, lintWarning } from '../../ignition/rule.ts';
import { podmanArgumentRules } from './podmanArguments.ts';
import { readPodmanCommand, shellOperator } from './podmanCommand.ts';
import { brokenSetting, type LintedUnit, type UnitSetting } from './subject.ts';

export const commandRules = {
  shell: lintWarning(
    'agent-unit-shell',
    'systemd runs no shell: the program gets the operator and the words after it as arguments',
    'run a shell: ExecStart=/bin/bash -c "…"',
  ),
  absent: lintError(
    'agent-unit-absent',
    'CoreOS does not have the program, so the unit does not start',
    'run the program in a container with podman, or add it to "storage.files"',
  ),
  docker: lintWarning(
    'agent-unit-docker',
    'RHEL CoreOS does not have docker, so the unit does not start there',
    'use podman, which every CoreOS has',
  ),
};

export function checkCommands({ starts }: LintedUnit): Issue[] {
  const issues: Issue[] = [];
  for (const setting of starts) {
    for (const words of setting.commands) {
      issues.push(...checkOperator(words, setting), ...checkProgram(words, setting));
    }
  }
  return issues;
}

/** Operators in podman commands that are read completely are reported with the command. */
function checkOperator(words: readonly ExecWord[], setting: UnitSetting): Issue[] {
  const at = words.findIndex(({ text }, index) => index > 0 && shellOperator.test(text));
  const operator = words[at]?.text;
  if (operator === undefined) return [];
  const isShell = /^(?:ba|da|k|z)?sh$/.test(programName(words[0]));
  if (isShell || readPodmanCommand(words) !== undefined) return [];
  if (words.slice(at + 1).some((word) => programName(word) === 'podman')) {
    const message = `systemd runs no shell: podman after ${operator} never runs`;
    return [brokenSetting(podmanArgumentRules.shell, setting, { message })];
  }
  const message = `systemd runs no shell: the program gets ${operator} and the words after it as arguments`;
  return [brokenSetting(commandRules.shell, setting, { message })];
}

/** Programs that the manifests of Fedora and RHEL CoreOS do not contain. */
const absentPrograms = new Set(
  'apk apt apt-get aptitude dpkg docker-compose gcc make npm pacman pip pip2 pip3 podman-compose snap zypper'.split(
    ' ',
  ),
);

const osFolder = /^(?:\/(?:usr\/)?s?bin\/)?[\w.-]+$/;

function checkProgram([program]: readonly ExecWord[], setting: UnitSetting): Issue[] {
  const [, prefix = '', path = ''] = /^([-@:+!|]*)(.*)$/s.exec(program?.text ?? '') ?? [];
  if (prefix.includes('-') || !osFolder.test(path)) return [];
  const name = posix.basename(path);
  if (name === 'docker') return [brokenSetting(commandRules.docker, setting)];
  if (!absentPrograms.has(name)) return [];
  const message = `CoreOS does not have ${name}, so the unit does not start`;
  return [brokenSetting(commandRules.absent, setting, { message })];
}

function programName(word?: ExecWord): string {
  return posix.basename(word?.text.replace(/^[-@:+!|]+/, '') ?? '');
}
