/** Rules about the pull secret and other files with credentials. */

import { posix } from 'node:path';
import { FormatError, orFormatError } from '../../core/errors.ts';
import { parseOsloConfig } from '../../formats/osloConfig.ts';
import { listSensitiveOptions } from '../conf.ts';
import { findLoginProblem, type LoginProblem, parsePullSecret, readCredentials } from '../pullSecret.ts';
import { planPulls } from './images.ts';
import { rule, type Violation } from './lintRule.ts';
import { optionValues, type PodmanCommand } from './podmanCommand.ts';
import { type LintedFile, type LintSubject, readInlineText, textOf } from './subject.ts';

export const pullSecretRules = [
  rule(
    'agent-secret-content',
    'error',
    'use data:;base64, followed by the base64 of JSON such as {"auths": {"quay.io": {"auth": "…"}}} (base64 -w 0)',
    function* (subject) {
      for (const { file, source } of listPullSecrets(subject)) {
        if (file.contents?.source?.startsWith('data:') !== true) continue;
        const text = readInlineText(file.contents);
        const problem = text === undefined ? 'cannot be decoded' : findProblem(text);
        if (problem !== undefined) yield { path: source, message: `the pull secret ${problem}` };
      }
    },
  ),

  rule(
    'agent-secret-registry',
    'warning',
    'add an entry for the registry, or remove the pull secret if the image is public',
    (subject) => listLoginProblems(subject).filter(({ isFatal }) => !isFatal),
  ),

  rule(
    'agent-secret-unreadable',
    'error',
    'log in with "podman login --authfile FILE REGISTRY", and use that file',
    (subject) => listLoginProblems(subject).filter(({ isFatal }) => isFatal),
  ),

  rule('agent-secret-mode', 'warning', 'set "mode" to 384, which is octal 0600', function* (subject) {
    const confs = subject.confs.filter((conf) => sensitiveOptionsOf(conf).length > 0);
    for (const { file, name, path } of [...listPullSecrets(subject), ...confs]) {
      // Without a mode, Ignition creates a file that all users can read.
      if ((Number(file.mode ?? 0o644) & 0o004) === 0) continue;
      const message = `${posix.basename(name)}: all users of the host can read a file that contains a secret`;
      yield { path: [...path, 'mode'], message };
    }
  }),
];

const defaultPaths = [
  '/run/containers/0/auth.json',
  '/root/.config/containers/auth.json',
  '/root/.docker/config.json',
];

/** Usual paths of credentials: the defaults of podman, and those of the units of the agent and of CoreOS. */
const usualPaths = ['/etc/authfile.json', ...defaultPaths, '/etc/ostree/auth.json'];

/** Why podman has no credentials for the images that the agent's commands pull, each message once. */
function listLoginProblems(subject: LintSubject): (LoginProblem & Violation)[] {
  const found = new Map<string, LoginProblem & Violation>();
  for (const { command, tried } of planPulls(subject)) {
    const names = tried.map(({ name }) => name);
    const files = listLoginFiles(command.podman, subject);
    const problems = files.map((file) => {
      const logins = readLogins(file);
      // An unreadable file is a separate finding, or another config writes it.
      return logins && findLoginProblem(names, logins.credentials);
    });
    const [first] = files;
    const [problem] = problems;
    if (first === undefined || problem === undefined || problems.includes(undefined)) continue;
    found.set(problem.message, { ...problem, path: first.source, settingName: 'agent.pullSecret' });
  }
  return [...found.values()];
}

/** The files of the config in which a command of podman looks for a login, in this order; none if a variable names the file. */
export function listLoginFiles(podman: PodmanCommand, { filesByPath }: LintSubject): readonly LintedFile[] {
  const named = optionValues(podman, 'authfile');
  if (named.some(({ expands }) => expands)) return [];
  const paths = named.length === 0 ? defaultPaths : named.slice(-1).map(({ text }) => text);
  return paths.flatMap((path) => filesByPath.get(path) ?? []);
}

const loginsByFile = new WeakMap<LintedFile, ReturnType<typeof parseLogins>>();

/** The logins in a file, and its JSON; undefined if podman cannot read it. It is read once, as many commands may name it. */
export function readLogins(file: LintedFile): ReturnType<typeof parseLogins> {
  if (!loginsByFile.has(file)) loginsByFile.set(file, parseLogins(textOf(file)));
  return loginsByFile.get(file);
}

function parseLogins(json: string) {
  return findProblem(json) === undefined ? { json, credentials: readCredentials(json) } : undefined;
}

export function listPullSecrets({ filesByPath, units }: LintSubject): LintedFile[] {
  const named = units.flatMap(({ commands }) =>
    commands.flatMap(({ podman }) => optionValues(podman, 'authfile').map(({ text }) => text)),
  );
  return [...new Set([...usualPaths, ...named])].flatMap((path) => filesByPath.get(path) ?? []);
}

/** podman accepts only JSON, so a pull secret that is encoded twice is invalid. */
function findProblem(text: string): string | undefined {
  const parsed = orFormatError(() => parsePullSecret(text));
  if (parsed instanceof FormatError) return parsed.message;
  if (text.startsWith('\uFEFF')) return 'starts with a byte order mark, which podman does not accept';
  return text.trimStart().startsWith('{') ? undefined : 'is base64 twice';
}

export function sensitiveOptionsOf(conf: LintedFile): string[] {
  return listSensitiveOptions(parseOsloConfig(textOf(conf)));
}
