/** Credentials for registries: whether podman can read them, and who else can. Their text never gets into a message. */

import { posix } from 'node:path';
import { FormatError } from '../../errors.ts';
import type { File } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import { listSensitiveOptions } from '../conf.ts';
import { parsePullSecret } from '../pullSecret.ts';
import { broken, warning } from './lintRule.ts';
import { optionValues } from './podmanCommand.ts';
import { type HostFile, type LintSubject, readContents } from './subject.ts';

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

/** Where podman and its peers look for credentials without being told. */
const usualPaths = [
  '/etc/authfile.json',
  '/root/.docker/config.json',
  '/root/.config/containers/auth.json',
  '/run/containers/0/auth.json',
  '/etc/ostree/auth.json',
];

export function checkPullSecrets(subject: LintSubject): Issue[] {
  return [
    ...listPullSecrets(subject).flatMap((file) => checkPullSecret(file)),
    ...subject.confs.flatMap((conf) => checkConfMode(conf)),
    ...checkAuthFiles(subject),
  ];
}

/** The files of the config that hold credentials for registries. */
export function listPullSecrets({ units, filesByPath }: LintSubject): HostFile[] {
  const named = units.flatMap(({ commands }) =>
    commands.flatMap(({ podman }) => optionValues(podman, 'authfile').map(({ text }) => text)),
  );
  return [...new Set([...usualPaths, ...named])].flatMap((path) => filesByPath.get(path) ?? []);
}

function checkPullSecret(secret: HostFile): Issue[] {
  return [...checkContents(secret.file, secret.path), ...checkMode(secret)];
}

function checkContents({ contents = {} }: File, path: HostFile['path']): Issue[] {
  if (contents.source?.startsWith('data:') !== true) return [];
  const at = [...path, 'contents', 'source'];
  const bytes = readContents(contents);
  if (bytes === undefined) return [broken(pullSecretRules.undecodable, at)];
  const problem = findProblem(Buffer.from(bytes).toString());
  return problem === undefined
    ? []
    : [broken(pullSecretRules.content, at, { message: `the pull secret ${problem}` })];
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

function checkConfMode(conf: HostFile): Issue[] {
  const bytes = readContents(conf.file.contents ?? {});
  if (bytes === undefined) return [];
  const names = listSensitiveOptions(Buffer.from(bytes).toString());
  return names.length === 0 ? [] : checkMode(conf);
}

/** Without a mode, Ignition makes a file that everybody can read. */
function checkMode({ name, file, path }: HostFile): Issue[] {
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
