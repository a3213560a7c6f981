/** Lint of the images that the units of the agent pull and run, and of their registries and mirrors. */

import type { Finding } from '../../core/finding.ts';
import { parseImageReference } from '../../formats/imageReference.ts';
import type { ExecWord } from '../../formats/systemdQuoting.ts';
import { lintError, lintNote, lintWarning, type Rule } from '../../core/rule.ts';
import { combineRegistries } from '../imagePull.ts';
import { findPullProblem, findRegistryIssuer, findShortNameProblem } from '../imageSource.ts';
import { findIpaOption } from '../../ipa/ipaOptions.ts';
import { optionValues, podmanSwitches } from './podmanCommand.ts';
import {
  broken,
  brokenSetting,
  type LintedFile,
  type LintedUnit,
  type LintSubject,
  readInlineText,
  type UnitCommand,
  type UnitSetting,
} from './subject.ts';
import { posix } from 'node:path';
import { readRegistriesConf, type Registries } from '../registriesConf.ts';

export const pulledImageRules = {
  reference: lintError(
    'agent-image-reference',
    'podman refuses the image reference',
    'use a reference like registry.example.com/ironic-agent:latest',
  ),
  argument: lintError(
    'agent-image-argument',
    'the command has an argument after the image, but the agent accepts only options',
    'remove the argument; if it belongs to the image, remove the space from the reference',
  ),
  shortName: lintNote(
    'agent-image-short-name',
    'the image has no registry: podman uses a local image from any registry, or the configured search registries',
    'use the same reference as in the command that pulls the image',
  ),
  unverified: lintNote(
    'agent-image-unverified',
    'the registry is not verified, and the image reference has no digest',
    'remove --tls-verify=false, or add the digest to the reference: IMAGE@sha256:…',
  ),
};

/** A command that pulls the image of the agent if it is not on the host yet. */
interface AgentPull {
  readonly command: UnitCommand;
  /** The reference as written in the unit. */
  readonly image: string;
}

/** Commands of the units that pull from a registry: `podman pull`, or else `podman run` itself. */
export function agentPulls({ agentUnits }: LintSubject): AgentPull[] {
  const pulling = agentUnits.flatMap((unit) => unit.runs.filter((run) => isPulling(run, unit)));
  return [...agentUnits.flatMap(({ pulls }) => pulls), ...pulling].flatMap((command) => {
    const { operands, verb } = command.podman;
    return operands.slice(0, verb === 'pull' ? undefined : 1).flatMap(({ expands, text }) => {
      const image = text.replace(/^docker:\/\//, '');
      return expands || LOCAL_TRANSPORT.test(text) ? [] : [{ command, image }];
    });
  });
}

/** Whether `podman run` pulls its image because no other command of its unit does. */
function isPulling({ podman }: UnitCommand, { pulls }: LintedUnit): boolean {
  return pulls.length === 0 && optionValues(podman, 'pull').at(-1)?.text !== 'never';
}

/** References that podman accepts but resolves to no image. */
function checkSources(subject: LintSubject): Finding[] {
  const registries = readRegistries(subject);
  return agentPulls(subject).flatMap(({ command, image }) => {
    const found = (problem: Rule | undefined): Finding[] =>
      problem === undefined ? [] : [brokenSetting(problem, command.setting)];
    // Another config may add the registries.
    const short = registries && findShortNameProblem(image, registries);
    if (registries === undefined || short !== undefined) return found(short);
    const pull = findPullProblem(image, registries);
    const issuer = isVerified(command)
      ? findRegistryIssuer(image, registries, (registry) => hasTrustAnchor(subject, registry))
      : undefined;
    return [...found(pull), ...found(issuer)];
  });
}

function isVerified({ podman }: UnitCommand): boolean {
  return !optionValues(podman, 'tls-verify').some(({ text }) => text === 'false');
}

/** Whether the config writes CA certificates for podman: of the host, or of a registry (containers-certs.d(5)). */
function hasTrustAnchor({ filesByPath }: LintSubject, registry: string): boolean {
  const folders = ['containers', 'docker'].map((name) => `/etc/${name}/certs.d/${registry}/`);
  return [...filesByPath.keys()].some(
    (path) =>
      path.startsWith('/etc/pki/ca-trust/source/') ||
      folders.some((folder) => path.startsWith(folder) && path.endsWith('.crt')),
  );
}

export function checkPulledImages(subject: LintSubject): Finding[] {
  const { agentUnits } = subject;
  const pulls = agentUnits.flatMap((unit) => unit.pulls);
  return [
    ...checkSources(subject),
    ...pulls.flatMap((pull) =>
      pull.podman.operands.flatMap(({ text, expands }) => (expands ? [] : checkReference(text, pull))),
    ),
    ...agentUnits.flatMap((unit) => unit.runs.flatMap((run) => checkRun(run, unit))),
  ];
}

function checkRun(run: UnitCommand, unit: LintedUnit): Finding[] {
  const { podman, setting } = run;
  const [image, ...words] = podman.operands;
  if (image === undefined || image.expands) return [];
  const hasEntrypoint = optionValues(podman, 'entrypoint').length > 0;
  const pulled = unit.pulls.flatMap((pull) => pull.podman.operands);
  const isLocal = !isPulling(run, unit) && !pulled.some(({ text }) => text === image.text);
  return [
    ...checkReference(image.text, run),
    ...(isLocal && isShortName(image.text) ? [brokenSetting(pulledImageRules.shortName, setting)] : []),
    ...(hasEntrypoint ? [] : checkArguments(words, setting)),
  ];
}

/** The words after the image are arguments of the agent, which accepts only its own options. */
function checkArguments(words: readonly ExecWord[], setting: UnitSetting): Finding[] {
  const [first] = words;
  if (first === undefined) return [];
  // An image without an entry point is started with the program.
  if (/^\/|^ironic-python-agent$/.test(first.text)) return [];
  if (!first.text.startsWith('-')) return [brokenSetting(pulledImageRules.argument, setting)];
  const option = words.map(({ text }) => text.replace(/=.*$/s, '')).find(isPodmanOption);
  if (option === undefined) return [];
  const message = `${option} is after the image, so podman passes it to the agent, which does not support it`;
  return [
    brokenSetting(pulledImageRules.argument, setting, { message, hint: `move ${option} before the image` }),
  ];
}

/** Options with values that commands of the agent usually have. */
const USUAL_OPTION = /^(?:authfile|cgroups|env|ipc|memory|mount|name|network|pid|pull|sdnotify|uts|volume)$/;

/** Whether podman has an option that the agent does not have. */
function isPodmanOption(argument: string): boolean {
  const [, name = ''] = /^--([\w-]{2,})$/.exec(argument) ?? [];
  const isOfAgent = name === 'help' || findIpaOption('DEFAULT', name.replaceAll('-', '_')) !== undefined;
  return !isOfAgent && (podmanSwitches.has(name) || USUAL_OPTION.test(name));
}

/** Images that are on the host already, so podman contacts no registry. */
const LOCAL_TRANSPORT = /^(?:containers-storage|dir|docker-archive|docker-daemon|oci|oci-archive):/;

function checkReference(text: string, command: UnitCommand): Finding[] {
  if (LOCAL_TRANSPORT.test(text)) return [];
  const parsed = parseImageReference(text.replace(/^docker:\/\//, ''));
  if (!parsed.ok) {
    const message = `${pulledImageRules.reference.message}: ${parsed.reason}`;
    return [brokenSetting(pulledImageRules.reference, command.setting, { message })];
  }
  return isVerified(command) || parsed.reference.digest !== undefined
    ? []
    : [brokenSetting(pulledImageRules.unverified, command.setting)];
}

/** Whether the reference has no registry. */
function isShortName(image: string): boolean {
  const parsed = parseImageReference(image);
  return parsed.ok && parsed.reference.registry === undefined;
}

export const registriesRules = {
  refused: lintError(
    'agent-registries-conf',
    'podman refuses the file and pulls no image',
    'fix the file; containers-registries.conf(5) describes its format',
  ),
  ignored: lintWarning(
    'agent-registries-conf-ignored',
    'podman ignores a part of the file',
    'use a name that containers-registries.conf(5) describes',
  ),
};

const MAIN_FILE = '/etc/containers/registries.conf';

export function checkRegistries(subject: LintSubject): Finding[] {
  return listFiles(subject).flatMap((file) => {
    const { issues } = readRegistriesConf(readWhole(file) ?? '');
    return issues.map(({ position: { column, line }, severity, ...problem }) => {
      const rule = severity === 'error' ? registriesRules.refused : registriesRules.ignored;
      return broken(rule, file.source, {
        ...problem,
        about: `${posix.basename(file.name)}:${line}:${column}`,
        line,
        column,
      });
    });
  });
}

/** The main file first, then the other files in the order in which podman reads them. */
export function listFiles({ filesByPath }: LintSubject): LintedFile[] {
  const names = [...filesByPath.keys()].filter((name) =>
    /^\/etc\/containers\/registries\.conf\.d\/[^/]+\.conf$/.test(name),
  );
  return [MAIN_FILE, ...names.toSorted()].flatMap((name) => filesByPath.get(name) ?? []);
}

/**
 * The combined configuration; undefined if a file cannot be read or another config may add one. Without a file in the
 * config, podman uses the file of CoreOS, which lists several registries and prompts for one of them.
 */
export function readRegistries(subject: LintSubject): Registries | undefined {
  if (!subject.isComplete) return undefined;
  const parts = listFiles(subject).map((file) => {
    const text = readWhole(file);
    return text === undefined ? undefined : readRegistriesConf(text).registries;
  });
  const mode = subject.filesByPath.has(MAIN_FILE) ? {} : ({ shortNameMode: 'enforcing' } as const);
  const own: Registries = { aliases: new Map(), entries: [], ...mode };
  const read = parts.flatMap((part) => part ?? []);
  return read.length === parts.length ? combineRegistries([own, ...read]) : undefined;
}

/** The text of a file that has only inline contents. */
function readWhole({ file: { append = [], contents } }: LintedFile): string | undefined {
  return append.length > 0 ? undefined : readInlineText(contents);
}
