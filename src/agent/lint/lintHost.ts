/**
 * Checks that Ignition cannot make and that apply to every config, whether or not it runs the agent: units that do not start,
 * files that Ignition cannot write on the machine, and settings that programs of CoreOS ignore.
 */

import { append } from '../../core/lists.ts';
import type { Config } from '../../ignition/config.ts';
import { type Issue, lintError, lintWarning } from '../../core/rule.ts';
import { checkAccounts } from './accounts.ts';
import { checkCertificates, checkHostFiles, checkPasswords, checkSshKeys } from './hostFiles.ts';
import { checkRegistries } from './image.ts';
import { checkLiveSystem } from './liveSystem.ts';
import { checkConnections } from './network.ts';
import { checkPodmanArguments, podmanArgumentRules } from './podmanArguments.ts';
import {
  broken,
  brokenSetting,
  isActive,
  type LintedFile,
  type LintedUnit,
  type LintSubject,
  readInlineText,
  readSubject,
  type TargetSystem,
  type UnitSetting,
  type UnitText,
} from './subject.ts';
import { createEnvironmentFileCheck, createVariableCheck } from './unit.ts';
import { posix } from 'node:path';
import { KEYFILE_FOLDER } from '../files.ts';
import type { ExecWord } from '../../formats/systemdQuoting.ts';
import { readPodmanCommand, SHELL_OPERATOR } from './podmanCommand.ts';

export interface HostLintOptions {
  /** The time for which the validity of certificates is checked. */
  readonly now: Date;
  /** If absent, only what applies to both is checked. */
  readonly machine?: TargetSystem | undefined;
}

/** All findings, by topic; paths start at the root of the config. Messages never contain secrets. */
export function lintHost(config: Config, options: HostLintOptions): Issue[] {
  return checkHost(readSubject(config), options);
}

/** The findings of {@link lintHost}. */
export function checkHost(subject: LintSubject, { machine, now }: HostLintOptions): Issue[] {
  const others = createUnitChecks(subject).map((check) => ({ check, issues: new Array<Issue>() }));
  for (const unit of subject.eachUnit()) {
    if (!isActive(unit)) continue;
    for (const { check, issues } of others) for (const issue of check(unit)) issues.push(issue);
  }
  return [
    ...others.flatMap(({ issues }) => issues),
    ...subject.files
      .filter(isPlainText)
      .flatMap(({ file: { contents }, name, source }) =>
        checkText({ name: posix.basename(name), text: readInlineText(contents) ?? '', path: source }),
      ),
    ...checkRegistries(subject),
    ...checkCertificates(subject, now),
    ...checkSshKeys(subject),
    ...checkPasswords(subject),
    ...checkAccounts(subject),
    ...checkConnections(subject),
    ...checkHostFiles(subject, machine),
    ...(machine === 'live' ? checkLiveSystem(subject) : []),
  ];
}

/** The checks of a unit that is not masked, in the order of their findings. */
function createUnitChecks(subject: LintSubject): ((unit: LintedUnit) => Issue[])[] {
  return [
    createEnvironmentFileCheck(subject),
    createVariableCheck(subject),
    checkCommands,
    checkPodmanArguments,
    ({ texts }) => texts.flatMap(checkText),
  ];
}

// Contents that were encoded once too often: text in base64, percent-encoded text, or a data URL instead of a unit or a file.

export const encodedTextRules = {
  encoded: lintError(
    'agent-contents-encoded',
    'the contents are encoded text, which the program that reads them does not decode',
    'write the text itself; encode only the data URL in "source"',
  ),
};

function checkText({ name: about, path, text }: Omit<UnitText, 'lines'>): Issue[] {
  const encoding = findEncoding(text);
  if (encoding === undefined) return [];
  const message = `the contents are ${encoding}, which the program that reads them does not decode`;
  return [broken(encodedTextRules.encoded, path, { about, message })];
}

/** Files that programs of CoreOS read as text: confs, units, keyfiles and scripts. */
function isPlainText({ file: { mode = 0 }, name }: LintedFile): boolean {
  const isScript = (Number(mode) & 0o111) !== 0;
  return isScript || TEXT_FILE.test(name) || posix.dirname(name) === KEYFILE_FOLDER;
}

const TEXT_FILE =
  /^\/etc\/(?:ironic-python-agent.*\.conf|systemd\/.*|containers\/(?:systemd\/.*|registries\.conf(?:\.d\/.*)?)|NetworkManager\/(?:conf\.d\/.*|NetworkManager\.conf))$/s;

/** The start of a unit, a conf, a keyfile or a script. */
const PLAIN_START = /^\s*(?:\[[\w. -]+\]|#|;)/;

/** Long texts are no units and confs that someone has written. */
const LONGEST = 256 * 1024;

function findEncoding(text: string): string | undefined {
  if (text === '' || text.length > LONGEST || PLAIN_START.test(text)) return undefined;
  if (/^\s*data:[^,\s]*,/.test(text)) return 'a data URL';
  if (/^\s*(?:%5B|%23|\[[^\n]*%0A)/i.test(text)) return 'percent-encoded text';
  const isBase64 = /^[A-Za-z0-9+/\s]{8,}={0,2}\s*$/.test(text);
  return isBase64 && PLAIN_START.test(Buffer.from(text, 'base64').toString('latin1'))
    ? 'text in base64'
    : undefined;
}

// Lint of the commands in units: operators of a shell, which systemd does not run, and programs that no CoreOS has.

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
};

function checkCommands({ starts }: LintedUnit): Issue[] {
  const issues: Issue[] = [];
  for (const setting of starts) {
    for (const words of setting.commands) {
      append(issues, [...checkOperator(words, setting), ...checkProgram(words, setting)]);
    }
  }
  return issues;
}

/** Operators in podman commands that are read completely are reported with the command. */
function checkOperator(words: readonly ExecWord[], setting: UnitSetting): Issue[] {
  const at = words.findIndex(({ text }, index) => index > 0 && SHELL_OPERATOR.test(text));
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

const OS_FOLDER = /^(?:\/(?:usr\/)?s?bin\/)?[\w.-]+$/;

function checkProgram([program]: readonly ExecWord[], setting: UnitSetting): Issue[] {
  const [, prefix = '', path = ''] = /^([-@:+!|]*)(.*)$/s.exec(program?.text ?? '') ?? [];
  if (prefix.includes('-') || !OS_FOLDER.test(path)) return [];
  const name = posix.basename(path);
  if (!absentPrograms.has(name)) return [];
  const message = `CoreOS does not have ${name}, so the unit does not start`;
  return [brokenSetting(commandRules.absent, setting, { message })];
}

function programName(word?: ExecWord): string {
  return posix.basename(word?.text.replace(/^[-@:+!|]+/, '') ?? '');
}
