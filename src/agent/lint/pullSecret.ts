/** Credentials for registries: whether podman can read them, and who else can. Their text never gets into a message. */

import { posix } from 'node:path';
import { FormatError } from '../../core/errors.ts';
import type { File } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import { listSensitiveOptions } from '../conf.ts';
import { pullNames } from '../imageSource.ts';
import {
  findEntryProblems,
  findMissingCredentials,
  parsePullSecret,
  readCredentials,
} from '../pullSecret.ts';
import { agentPulls, readRegistries } from './image.ts';
import { type LintedFile, type LintSubject, readContents } from './subject.ts';
import { broken, warning } from './lintRule.ts';
import { optionValues } from './podmanCommand.ts';

export const pullSecretRules = {
  undecodable: warning(
    'agent-secret-undecodable',
    'the pull secret cannot be decoded',
    'write it as data:;base64, and the base64 of its JSON without line breaks (base64 -w 0)',
  ),
  content: warning(
    'agent-secret-content',
    'the pull secret is none',
    'it has to be JSON such as {"auths": {"quay.io": {"auth": "…"}}}',
  ),
  entry: warning(
    'agent-secret-entry',
    'podman gets no credentials from an entry of the pull secret',
    'log in with "podman login --authfile FILE REGISTRY", and use that file',
  ),
  registry: warning(
    'agent-secret-registry',
    'the pull secret has no entry for the registry of the image',
    'add an entry for the registry, or remove the pull secret where the image is public',
  ),
  mode: warning(
    'agent-secret-mode',
    'everybody on the host can read a file with a secret',
    'set "mode" to 384, which is 0600',
  ),
  missing: warning(
    'agent-authfile-missing',
    'podman is told to take credentials from a file that the config does not write',
    'write the file, or remove --authfile',
  ),
};

/** Where podman of root looks without being told. */
const defaultPaths = [
  '/run/containers/0/auth.json',
  '/root/.config/containers/auth.json',
  '/root/.docker/config.json',
];

/** Where files with credentials are: podman's places, and those of the agent's units and of CoreOS. */
const usualPaths = ['/etc/authfile.json', ...defaultPaths, '/etc/ostree/auth.json'];

export function checkPullSecrets(subject: LintSubject): Issue[] {
  return [
    ...listPullSecrets(subject).flatMap((file) => checkPullSecret(file)),
    ...subject.confs.flatMap((conf) => checkConfMode(conf)),
    ...checkAuthFiles(subject),
    ...checkCoverage(subject),
  ];
}

/** The files of the config that hold credentials for registries. */
export function listPullSecrets({ units, filesByPath }: LintSubject): LintedFile[] {
  const named = units.flatMap(({ commands }) =>
    commands.flatMap(({ podman }) => optionValues(podman, 'authfile').map(({ text }) => text)),
  );
  return [...new Set([...usualPaths, ...named])].flatMap((path) => filesByPath.get(path) ?? []);
}

function checkPullSecret(secret: LintedFile): Issue[] {
  return [...checkContents(secret.file, secret.path), ...checkMode(secret)];
}

function checkContents({ contents = {} }: File, path: LintedFile['path']): Issue[] {
  if (contents.source?.startsWith('data:') !== true) return [];
  const at = [...path, 'contents', 'source'];
  const bytes = readContents(contents);
  if (bytes === undefined) return [broken(pullSecretRules.undecodable, at)];
  const text = Buffer.from(bytes).toString();
  const problem = findProblem(text);
  if (problem !== undefined)
    return [broken(pullSecretRules.content, at, { message: `the pull secret ${problem}` })];
  return findEntryProblems(readCredentials(text), []).map(({ hint, message }) =>
    broken(pullSecretRules.entry, at, { message, hint }),
  );
}

/** The credentials that a command has are for other registries than that of its image. */
function checkCoverage(subject: LintSubject): Issue[] {
  const registries = readRegistries(subject);
  const found = agentPulls(subject).flatMap(({ command, image }) => {
    const named = optionValues(command.podman, 'authfile');
    if (named.some(({ expands }) => expands)) return [];
    const paths = named.length === 0 ? defaultPaths : named.slice(-1).map(({ text }) => text);
    const files = paths.flatMap((path) => subject.filesByPath.get(path) ?? []);
    return findUncovered(files, pullNames(image, registries));
  });
  return [...new Map(found.map((issue) => [issue.message, issue])).values()];
}

/** The issue stands at the first file. */
function findUncovered(files: readonly LintedFile[], names: readonly string[]): Issue[] {
  const texts = files.map(({ file }) => Buffer.from(readContents(file.contents ?? {}) ?? []).toString());
  const [first] = files;
  // What cannot be read is an issue of its own, or comes from elsewhere.
  if (first === undefined || texts.some((text) => findProblem(text) !== undefined)) return [];
  const missing = texts.map((text) => findMissingCredentials(names, readCredentials(text)));
  const [problem] = missing;
  if (problem === undefined || missing.includes(undefined)) return [];
  const { hint, message } = problem;
  return [broken(pullSecretRules.registry, [...first.path, 'contents', 'source'], { message, hint })];
}

/** podman reads JSON alone, so a secret that is base64 a second time is none. */
function findProblem(text: string): string | undefined {
  try {
    parsePullSecret(text);
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
  return text.trimStart().startsWith('{') ? undefined : 'is base64 twice';
}

function checkConfMode(conf: LintedFile): Issue[] {
  const bytes = readContents(conf.file.contents ?? {});
  if (bytes === undefined) return [];
  const names = listSensitiveOptions(Buffer.from(bytes).toString());
  return names.length === 0 ? [] : checkMode(conf);
}

/** Without a mode, Ignition makes a file that everybody can read. */
function checkMode({ name, file, path }: LintedFile): Issue[] {
  if ((Number(file.mode ?? 0o644) & 0o004) === 0) return [];
  const message = `${posix.basename(name)}: ${pullSecretRules.mode.message}`;
  return [broken(pullSecretRules.mode, [...path, 'mode'], { message })];
}

/** Below /run, other services may write it. */
function checkAuthFiles({ units, filesByPath, isComplete }: LintSubject): Issue[] {
  if (!isComplete) return [];
  return units.flatMap(({ name, commands }) =>
    commands.flatMap(({ podman, setting }) => {
      const paths = optionValues(podman, 'authfile').filter(({ expands }) => !expands);
      const missing = paths.filter(({ text }) => !filesByPath.has(text) && !text.startsWith('/run/'));
      return missing.map(({ text }) => {
        const message = `${name}: ${setting.name}=: podman takes credentials from ${JSON.stringify(text)}, which the config does not write`;
        return broken(pullSecretRules.missing, setting.path, { message });
      });
    }),
  );
}
