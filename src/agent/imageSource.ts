/** Where podman on the machine, without a terminal, pulls an image from; and what of a reference is most likely a mistake. */

import { parseHost } from '../formats/hostName.ts';
import { type ImageReference, parseImageReference } from '../formats/imageReference.ts';
import { type AddressProblem, findAddressProblem } from './machineAddress.ts';
import type { Registries, RegistryEntry } from './registriesConf.ts';

/** A sentence about the reference, and what to do. */
export interface ImageProblem {
  readonly message: string;
  readonly hint: string;
}

interface BareRegistry extends ImageProblem {
  /** The text cannot be the name of an image that somebody would have. */
  readonly isCertain: boolean;
}

/** The text is a registry without the path of an image, as far as one can tell. */
export function findBareRegistry(text: string): BareRegistry | undefined {
  const parsed = parseImageReference(text);
  if (!parsed.ok) return undefined;
  const { digest, registry, repository, tag } = parsed.reference;
  if (registry !== undefined || digest !== undefined || repository.includes('/')) return undefined;
  const isHost = repository.includes('.') || repository === 'localhost';
  // Two to five digits may be a tag, too, and are more often a port.
  if (!isHost && !/^[1-9][0-9]{1,4}$/.test(tag ?? '')) return undefined;
  const read = tag === undefined ? '' : ` with the tag ${JSON.stringify(tag)}`;
  return {
    isCertain: isHost,
    message: `${text} looks like a registry, and podman takes it for an image ${JSON.stringify(repository)}${read}`,
    hint: `append the path of the image: ${text}/metal3-io/ironic-agent`,
  };
}

/**
 * Why podman pulls nothing by a reference without registry; undefined where it does, or where there is a registry.
 * Without a registries.conf of its own, CoreOS names several registries and has podman ask the user.
 */
export function findShortNameProblem(text: string, registries?: Registries): ImageProblem | undefined {
  const parsed = parseImageReference(text);
  if (!parsed.ok || parsed.reference.registry !== undefined) return undefined;
  const { repository } = parsed.reference;
  const { aliases, search = [], shortNameMode } = registries ?? {};
  if ((aliases?.get(repository) ?? '') !== '') return undefined;
  if (search.length === 1 || (search.length > 1 && shortNameMode !== 'enforcing')) return undefined;
  return {
    message: `the image ${text} has no registry, and podman cannot ask which one to use`,
    hint: `write the registry: quay.io/${repository.includes('/') ? '' : 'metal3-io/'}${text}`,
  };
}

/** The registry of a reference is at an address that means no other machine. */
export function findImageAddress(text: string): AddressProblem | undefined {
  const parsed = parseImageReference(text);
  const { registry } = parsed.ok ? parsed.reference : {};
  return registry === undefined ? undefined : findRegistryAddress(registry);
}

/** podman calls what it builds itself so, which no registry has to have. */
export function isLocalName(text: string): boolean {
  return text.startsWith('localhost/');
}

/** The same for the host of a registry with or without a port, or a location below it. */
export function findRegistryAddress(location: string): AddressProblem | undefined {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:/]*))/.exec(location) ?? [];
  return findAddressProblem(parseHost(bracketed ?? plain));
}

/** An image as podman looks for its credentials: registry and path. Docker Hub has a folder for its own images. */
function imageName({ registry, repository }: ImageReference): string | undefined {
  if (registry === undefined) return undefined;
  return registry === 'docker.io' && !repository.includes('/')
    ? `${registry}/library/${repository}`
    : `${registry}/${repository}`;
}

/** The names under which podman asks for an image, mirrors first; none where the reference has no registry. */
export function pullNames(text: string, registries?: Registries): readonly string[] {
  const parsed = parseImageReference(text);
  const name = parsed.ok ? imageName(parsed.reference) : undefined;
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
