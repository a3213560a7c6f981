/**
 * The registries from which podman pulls an image, as containers/image of podman computes them from registries.conf
 * (sysregistriesv2, docker/docker_image_src.go): the entry with the longest prefix, its mirrors, then its own location. Compared
 * with that library in test/interop/containersImage.test.ts. Nothing is contacted.
 */

import { type Host, parseHost } from '../formats/hostName.ts';
import { parseImageReference } from '../formats/imageReference.ts';
import type { Registries, RegistryEntry } from './registriesConf.ts';

export interface PullSource {
  /** What podman requests: registry, path, and the tag or digest of the image. */
  readonly reference: string;
  /** The reference without tag and digest: `registry.example.com:5000/team/agent`. */
  readonly name: string;
  /** Host and port. */
  readonly registry: string;
  /** podman neither verifies the certificate nor requires TLS. */
  readonly insecure: boolean;
  /** podman refuses this source and tries the next one. */
  readonly blocked: boolean;
}

export interface PullPlan {
  readonly entry?: RegistryEntry;
  /** In the order in which podman tries them; the last one is the registry itself. Empty if `malformed` is set. */
  readonly sources: readonly PullSource[];
  /** An invalid reference to which the entry rewrites the image; because of it, podman tries no source. */
  readonly malformed?: string;
}

interface FullReference {
  readonly name: string;
  /** `:tag` or `@digest`; podman drops a tag before a digest. */
  readonly version: string;
}

/**
 * How podman pulls an image.
 * @param text reference; a name without registry needs an alias or exactly one search registry
 * @returns undefined if the reference is invalid, or if podman cannot select a registry
 */
export function planPull(text: string, registries?: Registries): PullPlan | undefined {
  const image = completeReference(text, registries);
  if (image === undefined) return undefined;
  const { name, version } = image;
  const entry = findEntry(name, registries);
  if (entry === undefined) return { sources: [sourceOf(image, false, registries)] };
  const unused = version.startsWith('@') ? 'tag-only' : 'digest-only';
  const used = [...entry.mirrors.filter(({ pulls }) => pulls !== unused), entry];
  const rest = name.slice(matchPrefix(name, entry.prefix));
  const sources: PullSource[] = [];
  for (const { insecure, location } of used) {
    const reference = location === '' ? `${name}${version}` : `${location}${rest}${version}`;
    const rewritten = completeReference(reference);
    // podman accepts only complete names, so "docker.io/agent" without "library/" is invalid here.
    if (rewritten === undefined || `${rewritten.name}${rewritten.version}` !== reference) {
      return { entry, sources: [], malformed: reference };
    }
    sources.push(sourceOf(rewritten, insecure, registries));
  }
  return { entry, sources };
}

/** The host of a registry with or without a port, or of a location in it. */
export function registryHost(location: string): Host {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:/]*))/.exec(location) ?? [];
  return parseHost(bracketed ?? plain);
}

/** Joins the files that podman reads, in their order. An entry replaces the entry of a previous file with the same prefix. */
export function combineRegistries(files: readonly Registries[]): Registries {
  return files.reduce<Registries>(
    (all, file) => {
      const prefixes = new Set(file.entries.map(({ prefix }) => prefix));
      return {
        ...all,
        ...file,
        aliases: new Map([...all.aliases, ...file.aliases]),
        entries: [...file.entries, ...all.entries.filter(({ prefix }) => !prefixes.has(prefix))],
      };
    },
    { aliases: new Map(), entries: [] },
  );
}

function completeReference(text: string, registries?: Registries): FullReference | undefined {
  const parsed = parseImageReference(text);
  if (!parsed.ok) return undefined;
  const { registry, repository } = parsed.reference;
  const { digest, tag = 'latest' } = parsed.reference;
  const version = digest === undefined ? `:${tag}` : `@${digest}`;
  if (registry !== undefined) return { name: fullName(registry, repository), version };
  const { aliases, search = [] } = registries ?? {};
  const alias = completeReference(aliases?.get(repository) ?? '')?.name;
  if (alias !== undefined) return { name: alias, version };
  const [only, ...others] = search;
  return only === undefined || others.length > 0 ? undefined : { name: fullName(only, repository), version };
}

/** Docker Hub has two names, and a folder for official images. */
function fullName(registry: string, repository: string): string {
  if (!['docker.io', 'index.docker.io'].includes(registry)) return `${registry}/${repository}`;
  return repository.includes('/') ? `docker.io/${repository}` : `docker.io/library/${repository}`;
}

function sourceOf({ name, version }: FullReference, insecure: boolean, registries?: Registries): PullSource {
  const [registry = ''] = name.split('/', 1);
  const blocked = findEntry(name, registries)?.blocked ?? false;
  return { reference: `${name}${version}`, name, registry, insecure, blocked };
}

/** The entry with the longest prefix of a name; the first one of equal prefixes, the smaller one of equally long prefixes. */
function findEntry(name: string, registries?: Registries): RegistryEntry | undefined {
  let best: RegistryEntry | undefined;
  for (const entry of registries?.entries ?? []) {
    if (entry.prefix === '' || matchPrefix(name, entry.prefix) < 0) continue;
    const longer = entry.prefix.length - (best?.prefix.length ?? 0);
    if (longer > 0 || (longer === 0 && entry.prefix < (best?.prefix ?? ''))) best = entry;
  }
  return best;
}

/**
 * The length of the part of a name that a prefix matches; -1 if it does not. `example.com` matches `example.com:5000`, too. Of a
 * wildcard, only the first occurrence of the domain counts.
 */
function matchPrefix(name: string, prefix: string): number {
  const domain = prefix.startsWith('*.') ? prefix.slice(1) : prefix;
  const start = name.indexOf(domain);
  const isMatch = domain === prefix ? start === 0 : start >= 0 && !name.slice(0, start).includes('/');
  const end = start + domain.length;
  return isMatch && (end === name.length || [':', '/', '@'].includes(name[end] ?? '')) ? end : -1;
}
