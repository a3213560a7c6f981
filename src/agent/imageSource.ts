/** Image sources of podman on a machine without a terminal, and probable mistakes in image references. */

import { quoteText } from '../core/foreignText.ts';
import type { Problem } from '../core/finding.ts';
import { type Host, parseHost } from '../formats/hostName.ts';
import { type ImageReference, parseImageReference } from '../formats/imageReference.ts';
import { lintError, lintWarning, type RuleProblem } from '../ignition/rule.ts';
import { isInternalHost } from '../network/internalHost.ts';
import { findAddressProblem } from './machineAddress.ts';
import type { Registries, RegistryEntry } from './registriesConf.ts';
import { defaultSettings } from './settings.ts';

export const imageSourceRules = {
  unqualified: lintError(
    'agent-image-unqualified',
    'the image has no registry, and podman cannot select one',
    'add the registry, for example registry.example.com/ironic-agent',
  ),
  unmaintained: lintWarning(
    'agent-image-unmaintained',
    'the image was last built in February 2023',
    'build an image as docs/agent-image.md describes, and use that',
  ),
  /** A CoreOS that was built with the CA, or with another registries.conf, pulls the image. */
  issuer: lintWarning(
    'agent-image-issuer',
    'no public CA issues certificates for the registry, so podman rejects its certificate',
    'add the CA certificate to the trust store of the host (--ca-file), or do not verify the registry (--insecure-registry)',
  ),
};

interface BareRegistry extends Problem {
  /** The reference is not a plausible image name. */
  readonly isCertain: boolean;
}

/** The parts of a reference; none if it is invalid. */
function referenceOf(text: string): Partial<ImageReference> {
  const parsed = parseImageReference(text);
  return parsed.ok ? parsed.reference : {};
}

/** The reference looks like a registry without an image name. */
export function findBareRegistry(text: string): BareRegistry | undefined {
  const { digest, registry, repository = '/', tag } = referenceOf(text);
  if (registry !== undefined || digest !== undefined || repository.includes('/')) return undefined;
  const isHost = repository.includes('.') || repository === 'localhost';
  // Two to five digits may be a tag, but are more often a port.
  if (!isHost && !/^[1-9][0-9]{1,4}$/.test(tag ?? '')) return undefined;
  const read = tag === undefined ? '' : ` with the tag ${quoteText(tag)}`;
  return {
    isCertain: isHost,
    message: `${text} looks like a registry, but podman parses it as image ${quoteText(repository)}${read}`,
    hint: `append the name of the image: ${text}/ironic-agent`,
  };
}

/**
 * The reason why podman cannot pull a reference without registry; undefined if it can, or if there is a registry.
 * Without another registries.conf, CoreOS lists several registries, and podman prompts for one of them.
 */
export function findShortNameProblem(text: string, registries?: Registries): RuleProblem | undefined {
  const { registry, repository } = referenceOf(text);
  if (repository === undefined || registry !== undefined) return undefined;
  const { aliases, search = [], shortNameMode } = registries ?? {};
  if ((aliases?.get(repository) ?? '') !== '') return undefined;
  if (search.length === 1 || (search.length > 1 && shortNameMode !== 'enforcing')) return undefined;
  const message = `the image ${text} has no registry, and podman cannot select one`;
  const hint = `add the registry: registry.example.com/${text}`;
  return { rule: imageSourceRules.unqualified, ...(findBareRegistry(text) ?? { message, hint }) };
}

/** Reports the default image, which nothing builds any more, unless registries.conf sets another source for its name. */
export function findUnmaintainedImage(text: string, registries?: Registries): RuleProblem | undefined {
  const { agentImage: image } = defaultSettings;
  if (imageName(text) !== image || pullNames(text, registries).at(-1) !== image) return undefined;
  return {
    rule: imageSourceRules.unmaintained,
    message: `${text} was last built in February 2023, it has no step start_assisted_install, and its repository is archived`,
    hint: 'build an image as docs/agent-image.md describes, and use --agent-image registry.example.com/ironic-agent',
  };
}

/** Reports a registry with an address that does not lead to another machine. */
export function findImageAddress(text: string): RuleProblem | undefined {
  const { registry } = referenceOf(text);
  return registry === undefined ? undefined : findRegistryAddress(registry);
}

/** The registry's certificate needs a CA of the user. Images for which registries.conf sets another source are not checked. */
export function findRegistryIssuer(text: string, registries?: Registries): RuleProblem | undefined {
  const { registry } = referenceOf(text);
  if (registry === undefined) return undefined;
  if (!isInternalHost(registryHost(registry))) return undefined;
  if (findEntry(imageName(text) ?? '', registries) !== undefined) return undefined;
  return {
    rule: imageSourceRules.issuer,
    message: `no public CA issues certificates for ${registry}, so podman rejects the certificate of the registry`,
    hint: imageSourceRules.issuer.hint,
  };
}

/** Prefix of images that podman builds locally; no registry contains them. */
export function isLocalName(text: string): boolean {
  return text.startsWith('localhost/');
}

/** Like `findImageAddress`, for a registry with or without a port, or a location in it. */
export function findRegistryAddress(location: string): RuleProblem | undefined {
  return findAddressProblem(registryHost(location));
}

function registryHost(location: string): Host {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:/]*))/.exec(location) ?? [];
  return parseHost(bracketed ?? plain);
}

/** The name for which podman looks up credentials: registry and path. Docker Hub has a folder for official images. */
function imageName(text: string): string | undefined {
  const { registry, repository } = referenceOf(text);
  if (registry === undefined || repository === undefined) return undefined;
  return registry === 'docker.io' && !repository.includes('/')
    ? `${registry}/library/${repository}`
    : `${registry}/${repository}`;
}

/** The names that podman requests for an image, mirrors first; empty if the reference has no registry. */
export function pullNames(text: string, registries?: Registries): readonly string[] {
  const name = imageName(text);
  if (name === undefined) return [];
  const entry = findEntry(name, registries);
  if (entry === undefined) return [name];
  const rest = entry.prefix.startsWith('*.')
    ? name.slice(name.indexOf('/'))
    : name.slice(entry.prefix.length);
  const own = entry.location === '' ? name : `${entry.location}${rest}`;
  return [...entry.mirrors.map((mirror) => `${mirror}${rest}`), own];
}

/** The entry with the longest prefix of a name. */
function findEntry(name: string, registries?: Registries): RegistryEntry | undefined {
  const matching = (registries?.entries ?? []).filter(({ prefix }) => isPrefix(prefix, name));
  return matching.toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}

function isPrefix(prefix: string, name: string): boolean {
  if (prefix.startsWith('*.'))
    return (name.split('/', 1)[0] ?? '').replace(/:[0-9]+$/, '').endsWith(prefix.slice(1));
  return name === prefix || name.startsWith(`${prefix}/`);
}
