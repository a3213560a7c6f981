/** Image sources of podman on a machine without a terminal, and probable mistakes in image references. */

import { quoteText } from '../core/foreignText.ts';
import type { Problem } from '../core/finding.ts';
import { type Host, parseHost } from '../formats/hostName.ts';
import { type ImageReference, parseImageReference } from '../formats/imageReference.ts';
import type { Rule } from '../core/rule.ts';
import { isInternalHost } from '../network/internalHost.ts';
import { findAddressProblem } from './machineAddress.ts';
import { planPull, type PullSource } from './imagePull.ts';
import type { Registries } from './registriesConf.ts';

/** The parts of a reference; none if it is invalid. */
function referenceOf(text: string): Partial<ImageReference> {
  const parsed = parseImageReference(text);
  return parsed.ok ? parsed.reference : {};
}

/**
 * The reason why podman cannot pull a reference without registry; undefined if it can, or if there is a registry.
 * Without another registries.conf, CoreOS lists several registries, and podman prompts for one of them.
 */
export function findShortNameProblem(text: string, registries?: Registries): Problem | undefined {
  const { registry, repository } = referenceOf(text);
  if (repository === undefined || registry !== undefined) return undefined;
  const { aliases, search = [], shortNameMode } = registries ?? {};
  if ((aliases?.get(repository) ?? '') !== '') return undefined;
  if (search.length === 1 || (search.length > 1 && shortNameMode !== 'enforcing')) return undefined;
  return {
    message: `the image ${text} has no registry, and podman cannot select one`,
    hint: `add the registry: registry.example.com/${text}`,
  };
}

/** Reports a registry with an address that does not lead to another machine. */
export function findImageAddress(text: string): Rule | undefined {
  const { registry } = referenceOf(text);
  return registry === undefined ? undefined : findRegistryAddress(registry);
}

/** Reports an image that podman cannot pull because of registries.conf. */
export function findPullProblem(text: string, registries?: Registries): Problem | undefined {
  const { entry, malformed, sources } = planPull(text, registries) ?? { sources: [] };
  if (entry === undefined) return undefined;
  const where = `the entry ${quoteText(entry.prefix)} of registries.conf`;
  if (malformed !== undefined) {
    return {
      message: `${where} rewrites the image ${text} to ${quoteText(malformed)}, which podman refuses`,
      hint: 'fix its location: HOST/PATH, with library/ for official images of docker.io',
    };
  }
  const registry = sources.at(-1)?.registry ?? '';
  if (sources.every(({ blocked }) => blocked)) {
    return {
      message: `podman cannot pull the image ${text}: registries.conf blocks ${listRegistries(sources)}`,
      hint: `remove blocked = true from the entry, add a mirror for ${registry}, or use an image from another registry`,
    };
  }
  return undefined;
}

function listRegistries(sources: readonly PullSource[]): string {
  return [...new Set(sources.map(({ registry }) => registry))].slice(0, 5).join(', ');
}

/**
 * A message if every registry that podman tries for an image needs a CA of the user.
 * @param isTrusted whether the host trusts a CA for the certificate of a registry (host and port)
 */
export function findRegistryIssuer(
  text: string,
  registries?: Registries,
  isTrusted: (registry: string) => boolean = () => false,
): string | undefined {
  const tried = (planPull(text, registries)?.sources ?? []).filter(({ blocked }) => !blocked);
  const isRejected = ({ insecure, registry }: PullSource): boolean =>
    !insecure && isInternalHost(registryHost(registry)) && !isTrusted(registry);
  if (tried.length === 0 || !tried.every(isRejected)) return undefined;
  return `no public CA issues certificates for ${listRegistries(tried)}, so podman rejects the certificate of the registry`;
}

/** Prefix of images that podman builds locally; no registry contains them. */
export function isLocalName(text: string): boolean {
  return text.startsWith('localhost/');
}

/** Like `findImageAddress`, for a registry with or without a port, or a location in it. */
export function findRegistryAddress(location: string): Rule | undefined {
  return findAddressProblem(registryHost(location));
}

function registryHost(location: string): Host {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:/]*))/.exec(location) ?? [];
  return parseHost(bracketed ?? plain);
}
