/** Rules about the images that the units of the agent pull and run, and about their registries and mirrors. */

import { posix } from 'node:path';
import { quoteText } from '../../core/foreignText.ts';
import { parseImageReference } from '../../formats/imageReference.ts';
import { isInternalHost } from '../../network/internalHost.ts';
import { combineRegistries, planPull, type PullSource, registryHost } from '../imagePull.ts';
import { readRegistriesConf, type Registries } from '../registriesConf.ts';
import { atSetting, rule } from './lintRule.ts';
import { optionValues } from './podmanCommand.ts';
import { type LintedFile, type LintSubject, readInlineText, type UnitCommand } from './subject.ts';

export const agentImageRules = [
  // No problem of a setting: `agent.image` is checked where it is read, and profile icc accepts any text.
  rule(
    'agent-image-reference',
    'error',
    'use a reference like registry.example.com/ironic-agent:latest',
    function* ({ agentUnits }) {
      for (const command of agentUnits.flatMap(({ pulls, runs }) => [...pulls, ...runs])) {
        for (const image of imagesOf(command)) {
          const parsed = parseImageReference(image);
          if (parsed.ok) continue;
          yield atSetting(command.setting, `podman refuses the image reference: ${parsed.reason}`);
        }
      }
    },
  ),

  rule(
    'agent-image-unpullable',
    'error',
    'use a reference with a registry, like registry.example.com/ironic-agent',
    function* (subject) {
      for (const { command, image, plan, registries } of planPulls(subject)) {
        // Without another registries.conf, CoreOS lists several registries, and podman prompts for one of them.
        const { search = [], shortNameMode } = registries;
        const tries = search.length > 1 && shortNameMode !== 'enforcing';
        if (plan !== undefined || tries || !parseImageReference(image).ok) continue;
        const message = `the image ${image} has no registry, and podman cannot select one`;
        const hint = `add the registry: registry.example.com/${image}`;
        yield { ...atSetting(command.setting, message, hint), settingName: 'agent.image' };
      }
    },
  ),

  rule(
    'agent-image-registries',
    'error',
    'fix the entry of registries.conf, or use an image from another registry',
    function* (subject) {
      for (const { command, image, plan } of planPulls(subject)) {
        if (plan?.entry === undefined) continue;
        const { entry, malformed, sources } = plan;
        const settingName = 'agent.registriesConf';
        if (malformed !== undefined) {
          const message = `the entry ${quoteText(entry.prefix)} of registries.conf rewrites the image ${image} to ${quoteText(malformed)}, which podman refuses`;
          const hint = 'fix its location: HOST/PATH, with library/ for official images of docker.io';
          yield { ...atSetting(command.setting, message, hint), settingName };
        } else if (sources.every(({ blocked }) => blocked)) {
          const message = `podman cannot pull the image ${image}: registries.conf blocks ${listRegistries(sources)}`;
          const hint = `remove blocked = true from the entry, add a mirror for ${sources.at(-1)?.registry}, or use an image from another registry`;
          yield { ...atSetting(command.setting, message, hint), settingName };
        }
      }
    },
  ),

  rule(
    'agent-image-issuer',
    'warning',
    'add the CA certificate to the trust store of the host (--ca-file), or do not verify the registry (--insecure-registry)',
    function* (subject) {
      for (const { command, tried } of planPulls(subject)) {
        if (optionValues(command.podman, 'tls-verify').some(({ text }) => text === 'false')) continue;
        const isRejected = ({ insecure, registry }: PullSource): boolean =>
          !insecure && isInternalHost(registryHost(registry)) && trustedCas(subject, registry).length === 0;
        if (tried.length === 0 || !tried.every(isRejected)) continue;
        const message = `no public CA issues certificates for ${listRegistries(tried)}, so podman rejects the certificate of the registry`;
        yield { ...atSetting(command.setting, message), settingName: 'agent.image' };
      }
    },
  ),
];

function listRegistries(sources: readonly PullSource[]): string {
  return [...new Set(sources.map(({ registry }) => registry))].slice(0, 5).join(', ');
}

/** Also for configs that do not run the agent. */
export const registriesRule = rule(
  'agent-registries-conf',
  'error',
  'fix the file; containers-registries.conf(5) describes its format',
  function* (subject) {
    for (const { conf, file } of registriesFiles(subject)) {
      for (const { position, message, hint } of conf?.issues ?? []) {
        const place = `${posix.basename(file.name)}:${position.line}:${position.column}`;
        yield { path: file.source, message: `${place}: ${message}`, hint, ...position };
      }
    }
  },
);

/**
 * The commands that pull the image of the agent from a registry if it is not on the host yet, `podman pull` or else `podman run`
 * itself, with the image as the unit names it. No registry contains an image that podman builds.
 */
export function agentPulls({ agentUnits }: LintSubject) {
  // `podman run` pulls its image if no other command of its unit does.
  const pulling = agentUnits
    .filter(({ pulls }) => pulls.length === 0)
    .flatMap(({ runs }) => runs.filter((run) => optionValues(run.podman, 'pull').at(-1)?.text !== 'never'));
  return [...agentUnits.flatMap(({ pulls }) => pulls), ...pulling].flatMap((command) =>
    imagesOf(command)
      .filter((image) => command.podman.verb === 'pull' || !image.startsWith('localhost/'))
      .map((image) => ({ command, image })),
  );
}

/** The images of a command, without those that are on the host already, so that podman contacts no registry. */
function imagesOf({ podman: { operands, verb } }: UnitCommand): string[] {
  return operands
    .slice(0, verb === 'pull' ? undefined : 1)
    .filter(({ expands, text }) => !expands && !LOCAL_TRANSPORT.test(text))
    .map(({ text }) => text.replace(/^docker:\/\//, ''));
}

const LOCAL_TRANSPORT = /^(?:containers-storage|dir|docker-archive|docker-daemon|oci|oci-archive):/;

/** How podman pulls these images, and the sources that it tries; nothing if another config may add registries. */
export function planPulls(subject: LintSubject) {
  const registries = readRegistries(subject);
  if (registries === undefined) return [];
  return agentPulls(subject).map((pull) => {
    const plan = planPull(pull.image, registries);
    const tried = plan?.sources.filter(({ blocked }) => !blocked) ?? [];
    return { ...pull, plan, tried, registries };
  });
}

/** The CA certificates that the config writes to the trust store of the host, and for a registry (containers-certs.d(5)). */
export function trustedCas({ files }: LintSubject, registry?: string): readonly LintedFile[] {
  const folders = ['containers', 'docker'].map((name) => `/etc/${name}/certs.d/${registry}/`);
  return files.filter(
    ({ name }) =>
      name.startsWith('/etc/pki/ca-trust/source/') ||
      (registry !== undefined && name.endsWith('.crt') && folders.some((folder) => name.startsWith(folder))),
  );
}

const MAIN_FILE = '/etc/containers/registries.conf';

interface RegistriesFile {
  readonly file: LintedFile;
  readonly conf: ReturnType<typeof readRegistriesConf> | undefined;
}

/**
 * The main file first, then the other files in the order in which podman reads them. Without the contents of files that are not
 * inline as a whole.
 */
export function registriesFiles({ filesByPath }: LintSubject): readonly RegistriesFile[] {
  const names = [...filesByPath.keys()].filter((name) =>
    /^\/etc\/containers\/registries\.conf\.d\/[^/]+\.conf$/.test(name),
  );
  const files = [MAIN_FILE, ...names.toSorted()].flatMap((name) => filesByPath.get(name) ?? []);
  return files.map((file) => {
    const { append = [], contents } = file.file;
    const text = append.length > 0 ? undefined : readInlineText(contents);
    return { file, conf: text === undefined ? undefined : readRegistriesConf(text) };
  });
}

/**
 * The combined configuration; undefined if a file cannot be read or another config may add one. Without a file in the
 * config, podman uses the file of CoreOS, which lists several registries and prompts for one of them.
 */
function readRegistries(subject: LintSubject): Registries | undefined {
  if (!subject.isComplete) return undefined;
  const parts = registriesFiles(subject).map(({ conf }) => conf?.registries);
  const mode = subject.filesByPath.has(MAIN_FILE) ? {} : ({ shortNameMode: 'enforcing' } as const);
  const own: Registries = { aliases: new Map(), entries: [], ...mode };
  const read = parts.flatMap((part) => part ?? []);
  return read.length === parts.length ? combineRegistries([own, ...read]) : undefined;
}
