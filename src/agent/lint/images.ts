/** Rules about the images that the units of the agent pull and run, and about their registries and mirrors. */

import { posix } from 'node:path';
import type { Problem } from '../../core/finding.ts';
import { parseImageReference } from '../../formats/imageReference.ts';
import { combineRegistries } from '../imagePull.ts';
import { findPullProblem, findRegistryIssuer, findShortNameProblem } from '../imageSource.ts';
import { readRegistriesConf, type Registries } from '../registriesConf.ts';
import type { SettingName } from '../settingTable.ts';
import { atSetting, rule, type Violation } from './lintRule.ts';
import { optionValues } from './podmanCommand.ts';
import { type LintedFile, type LintSubject, readInlineText } from './subject.ts';

export const agentImageRules = [
  // No problem of a setting: `agent.image` is checked where it is read, and profile icc accepts any text.
  rule(
    'agent-image-reference',
    'error',
    'use a reference like registry.example.com/ironic-agent:latest',
    function* ({ agentUnits }) {
      const commands = agentUnits.flatMap(({ pulls, runs }) => [...pulls, ...runs]);
      for (const { podman, setting } of commands) {
        const [first] = podman.operands;
        const images = podman.verb === 'pull' ? podman.operands : first === undefined ? [] : [first];
        for (const { expands, text } of images) {
          if (expands || LOCAL_TRANSPORT.test(text)) continue;
          const parsed = parseImageReference(withoutTransport(text));
          if (!parsed.ok) yield atSetting(setting, `podman refuses the image reference: ${parsed.reason}`);
        }
      }
    },
  ),

  rule(
    'agent-image-unpullable',
    'error',
    'use a reference with a registry, like registry.example.com/ironic-agent',
    (subject) => pullProblems(subject, 'agent.image', findShortNameProblem),
  ),

  rule(
    'agent-image-registries',
    'error',
    'fix the entry of registries.conf, or use an image from another registry',
    (subject) => pullProblems(subject, 'agent.registriesConf', findPullProblem),
  ),

  rule(
    'agent-image-issuer',
    'warning',
    'add the CA certificate to the trust store of the host (--ca-file), or do not verify the registry (--insecure-registry)',
    function* (subject) {
      const registries = readRegistries(subject);
      if (registries === undefined) return;
      for (const { command, image } of agentPulls(subject)) {
        const { podman, setting } = command;
        if (optionValues(podman, 'tls-verify').some(({ text }) => text === 'false')) continue;
        const message = findRegistryIssuer(image, registries, (registry) =>
          hasTrustAnchor(subject, registry),
        );
        if (message !== undefined) yield { ...atSetting(setting, message), settingName: 'agent.image' };
      }
    },
  ),
];

function* pullProblems(
  subject: LintSubject,
  settingName: SettingName,
  findProblem: (image: string, registries: Registries) => Problem | undefined,
): Iterable<Violation> {
  const registries = readRegistries(subject);
  if (registries === undefined) return; // another config may add registries
  for (const { command, image } of agentPulls(subject)) {
    const problem = findProblem(image, registries);
    if (problem === undefined) continue;
    yield { ...atSetting(command.setting, problem.message, problem.hint), settingName };
  }
}

/** Also for configs that do not run the agent. */
export const registriesRule = rule(
  'agent-registries-conf',
  'error',
  'fix the file; containers-registries.conf(5) describes its format',
  function* (subject) {
    for (const file of listFiles(subject)) {
      for (const { position, message, hint } of readRegistriesConf(readWhole(file) ?? '').issues) {
        const place = `${posix.basename(file.name)}:${position.line}:${position.column}`;
        yield { path: file.source, message: `${place}: ${message}`, hint, ...position };
      }
    }
  },
);

/**
 * The commands that pull the image of the agent from a registry if it is not on the host yet, `podman pull` or else `podman run`
 * itself, with the image as the unit names it.
 */
export function agentPulls({ agentUnits }: LintSubject) {
  // `podman run` pulls its image if no other command of its unit does.
  const pulling = agentUnits
    .filter(({ pulls }) => pulls.length === 0)
    .flatMap(({ runs }) => runs.filter((run) => optionValues(run.podman, 'pull').at(-1)?.text !== 'never'));
  return [...agentUnits.flatMap(({ pulls }) => pulls), ...pulling].flatMap((command) => {
    const { operands, verb } = command.podman;
    return operands.slice(0, verb === 'pull' ? undefined : 1).flatMap(({ expands, text }) => {
      return expands || LOCAL_TRANSPORT.test(text) ? [] : [{ command, image: withoutTransport(text) }];
    });
  });
}

/** Images that are on the host already, so podman contacts no registry. */
const LOCAL_TRANSPORT = /^(?:containers-storage|dir|docker-archive|docker-daemon|oci|oci-archive):/;

function withoutTransport(image: string): string {
  return image.replace(/^docker:\/\//, '');
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

const MAIN_FILE = '/etc/containers/registries.conf';

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
