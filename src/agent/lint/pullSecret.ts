/** Lint of registry credentials: whether podman can read them, and who else can. Messages never contain credentials. */

import type { Finding } from '../../core/finding.ts';
import { quoteText } from '../../core/foreignText.ts';
import { posix } from 'node:path';
import { FormatError } from '../../core/errors.ts';
import { lintError, lintWarning } from '../../core/rule.ts';
import { listSensitiveOptions } from '../conf.ts';
import { pullNames } from '../imagePull.ts';
import {
  type Credentials,
  findEntryProblems,
  findHelperProblems,
  findMissingCredentials,
  parsePullSecret,
  readCredentials,
} from '../pullSecret.ts';
import { agentPulls, readRegistries } from './image.ts';
import {
  broken,
  brokenSetting,
  type LintedFile,
  type LintSubject,
  readInlineText,
  textOf,
} from './subject.ts';
import { optionValues } from './podmanCommand.ts';

export const pullSecretRules = {
  undecodable: lintError(
    'agent-secret-undecodable',
    'the pull secret cannot be decoded',
    'use data:;base64, followed by the base64 of its JSON without line breaks (base64 -w 0)',
  ),
  content: lintError(
    'agent-secret-content',
    'the pull secret is invalid',
    'use JSON such as {"auths": {"quay.io": {"auth": "…"}}}',
  ),
  mode: lintWarning(
    'agent-secret-mode',
    'all users of the host can read a file that contains a secret',
    'set "mode" to 384, which is octal 0600',
  ),
  missing: lintError(
    'agent-authfile-missing',
    'the config does not write the file that podman reads credentials from',
    'add the file to the config, or remove --authfile',
  ),
};

/** The default paths of podman for root. */
const defaultPaths = [
  '/run/containers/0/auth.json',
  '/root/.config/containers/auth.json',
  '/root/.docker/config.json',
];

/** Usual paths of credentials: the defaults of podman, and those of the units of the agent and of CoreOS. */
const usualPaths = ['/etc/authfile.json', ...defaultPaths, '/etc/ostree/auth.json'];

export function checkPullSecrets(subject: LintSubject): Finding[] {
  const registries = readRegistries(subject);
  const names = agentPulls(subject).flatMap(({ image }) => pullNames(image, registries));
  return [
    ...listPullSecrets(subject).flatMap((file) => [...checkContents(file, names), ...checkMode(file)]),
    ...subject.confs.filter((conf) => sensitiveOptionsOf(conf).length > 0).flatMap(checkMode),
    ...checkAuthFiles(subject),
    ...checkCoverage(subject),
  ];
}

/** The files of the config that contain registry credentials. */
export function listPullSecrets({ units, filesByPath }: LintSubject): LintedFile[] {
  const named = units.flatMap(({ commands }) =>
    commands.flatMap(({ podman }) => optionValues(podman, 'authfile').map(({ text }) => text)),
  );
  return [...new Set([...usualPaths, ...named])].flatMap((path) => filesByPath.get(path) ?? []);
}

/** @param names of the images that the units pull */
function checkContents({ file: { contents }, source }: LintedFile, names: readonly string[]): Finding[] {
  if (contents?.source?.startsWith('data:') !== true) return [];
  const text = readInlineText(contents);
  if (text === undefined) return [broken(pullSecretRules.undecodable, source)];
  const problem = findProblem(text);
  if (problem !== undefined)
    return [broken(pullSecretRules.content, source, { message: `the pull secret ${problem}` })];
  return findEntryProblems(readCredentials(text), names).map((found) => broken(found, source));
}

/** Reports a command if its credentials do not include the registry of its image, or need a program that the host lacks. */
function checkCoverage(subject: LintSubject): Finding[] {
  const registries = readRegistries(subject);
  const programs = new Set(subject.files.map(({ name }) => posix.basename(name)));
  const credentials = new Map<LintedFile, Credentials | undefined>();
  const credentialsOf = (file: LintedFile): Credentials | undefined => {
    if (!credentials.has(file)) credentials.set(file, readValid(file));
    return credentials.get(file);
  };
  const found = agentPulls(subject).flatMap(({ command, image }) => {
    const named = optionValues(command.podman, 'authfile');
    if (named.some(({ expands }) => expands)) return [];
    const paths = named.length === 0 ? defaultPaths : named.slice(-1).map(({ text }) => text);
    const files = paths.flatMap((path) => subject.filesByPath.get(path) ?? []);
    const names = pullNames(image, registries);
    const valid = files.flatMap((file) => {
      const own = credentialsOf(file);
      return own === undefined ? [] : [{ file, own }];
    });
    const helpers = valid.flatMap(({ file, own }) =>
      findHelperProblems(own, names, registries?.credentialHelpers, (program) => programs.has(program)).map(
        (problem) => broken(problem, file.source),
      ),
    );
    const missing = valid.map(({ own }) => findMissingCredentials(names, own));
    const [first] = files;
    const [problem] = missing;
    // An unreadable file is a separate finding, or another config writes it.
    const isCovered = valid.length < files.length || missing.includes(undefined);
    const uncovered =
      first === undefined || problem === undefined || isCovered ? [] : [broken(problem, first.source)];
    return [...uncovered, ...(subject.isComplete ? helpers : [])];
  });
  return [...new Map(found.map((issue) => [issue.message, issue])).values()];
}

/** Undefined for a file that podman cannot read. */
function readValid(file: LintedFile): Credentials | undefined {
  const text = textOf(file);
  return findProblem(text) === undefined ? readCredentials(text) : undefined;
}

/** podman accepts only JSON, so a pull secret that is encoded twice is invalid. */
function findProblem(text: string): string | undefined {
  try {
    parsePullSecret(text);
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
  if (text.startsWith('\uFEFF')) return 'starts with a byte order mark, which podman does not accept';
  return text.trimStart().startsWith('{') ? undefined : 'is base64 twice';
}

/** Names of the options of a conf that contain secrets. */
export function sensitiveOptionsOf(conf: LintedFile): string[] {
  return listSensitiveOptions(textOf(conf));
}

/** Without a mode, Ignition creates a file that all users can read. */
function checkMode({ name, file, path }: LintedFile): Finding[] {
  if ((Number(file.mode ?? 0o644) & 0o004) === 0) return [];
  return [broken(pullSecretRules.mode, [...path, 'mode'], { about: posix.basename(name) })];
}

/** Other services may write files below /run. */
function checkAuthFiles({ units, filesByPath, isComplete }: LintSubject): Finding[] {
  if (!isComplete) return [];
  const commands = units.flatMap((unit) => unit.commands);
  return commands.flatMap(({ podman, setting }) => {
    const paths = optionValues(podman, 'authfile').filter(({ expands }) => !expands);
    const missing = paths.filter(({ text }) => !filesByPath.has(text) && !text.startsWith('/run/'));
    return missing.map(({ text }) => {
      const message = `podman reads credentials from ${quoteText(text)}, which the config does not write`;
      return brokenSetting(pullSecretRules.missing, setting, { message });
    });
  });
}
