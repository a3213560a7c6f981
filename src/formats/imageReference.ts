/**
 * References to container images, as podman (containers/image) and the distribution project parse them:
 * `[registry[:port]/]repository[:tag][@digest]`. Left out: transports such as `docker-archive:`, which name no image that
 * a host could pull, and the completion of short names, which depends on the host.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError } from '../core/errors.ts';

export interface ImageReference {
  /** Host and port; undefined for a short name, which podman looks for in the registries of its configuration. */
  readonly registry?: string;
  /** Path components joined by slashes. */
  readonly repository: string;
  readonly tag?: string;
  /** `algorithm:hex` */
  readonly digest?: string;
}

/** `reason` is a clause; `part` is the text that it is about. */
export type ImageReferenceCheck =
  | { readonly ok: true; readonly reference: ImageReference }
  | { readonly ok: false; readonly reason: string; readonly part: string };

const MAX_NAME_LENGTH = 255;
const MAX_TAG_LENGTH = 128;

/** Digits of the digests that containers/image verifies. */
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

const DOMAIN_NAME =
  '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*';
const registryPattern = new RegExp(`^${DOMAIN_NAME}(?::[0-9]+)?$`);
const COMPONENT_PATTERN = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*$/;
const TAG_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** Whether a text is the host of a registry, with or without a port. */
export function isRegistryHost(text: string): boolean {
  return registryPattern.test(text);
}

/** Splits a reference into its parts, or returns the reason why it is invalid. */
export function parseImageReference(text: string): ImageReferenceCheck {
  const misplaced = findMisplaced(text);
  if (misplaced !== undefined) return misplaced;
  const at = text.indexOf('@');
  const tagged = at < 0 ? text : text.slice(0, at);
  // The tag follows the last colon behind the last slash; before it may be a port.
  const colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1);
  const name = colon < 0 ? tagged : tagged.slice(0, colon);
  // The first component is a registry if it looks like a host; else it belongs to a short name.
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const isRegistry = /[.:]/.test(first) || first === 'localhost';
  const reference: ImageReference = {
    ...(isRegistry ? { registry: first, repository: name.slice(slash + 1) } : { repository: name }),
    ...(colon >= 0 && { tag: tagged.slice(colon + 1) }),
    ...(at >= 0 && { digest: text.slice(at + 1) }),
  };
  return nameProblem(name, reference) ?? versionProblem(reference) ?? { ok: true, reference };
}

/**
 * The text itself where it is a reference. Throws FormatError with a message that goes on from where the text was
 * given: `is not an image reference: …`.
 */
export function checkImageReference(text: string): string {
  const result = parseImageReference(text);
  if (result.ok) return text;
  const part = result.part === '' ? '' : ` (${quoteText(result.part)})`;
  throw new FormatError(`is not an image reference: ${result.reason}${part}`, {
    hint: 'use a reference like registry.example.com/ironic-agent:latest',
  });
}

function refuse(reason: string, part: string): ImageReferenceCheck {
  return { ok: false, reason, part: part.slice(0, MAX_NAME_LENGTH) };
}

function findMisplaced(text: string): ImageReferenceCheck | undefined {
  if (text === '') return refuse('it is empty', text);
  const strange = /[\s\p{Cc}"'`\\]/u.exec(text)?.[0];
  if (strange !== undefined) return refuse('it contains a space, quote or backslash', strange);
  const transport =
    /^(?:[a-z][a-z0-9+-]*:\/\/|(?:docker-archive|docker-daemon|oci|oci-archive|dir|containers-storage):)/i;
  const prefix = transport.exec(text)?.[0];
  if (prefix !== undefined) return refuse('it starts with a transport; use the reference without it', prefix);
  if (/^[a-f0-9]{64}$/.test(text)) return refuse('it is an image ID, which registries do not support', text);
  return undefined;
}

function nameProblem(
  name: string,
  { registry, repository }: ImageReference,
): ImageReferenceCheck | undefined {
  if (registry !== undefined && /^\[[A-Fa-f0-9:]+\](?::[0-9]+)?$/.test(registry)) {
    return refuse('podman supports no IPv6 address as registry; use a host name', registry);
  }
  if (registry !== undefined && !registryPattern.test(registry)) {
    return refuse('the registry is not a valid host or host:port', registry);
  }
  if (repository === '') return refuse('it contains no repository', repository);
  for (const component of repository.split('/')) {
    if (COMPONENT_PATTERN.test(component)) continue;
    if (component === '') return refuse('a part of the repository is empty', repository);
    if (/[A-Z]/.test(component)) return refuse('the repository must be in lower case', component);
    return refuse('a part of the repository contains an invalid character', component);
  }
  if (name.length <= MAX_NAME_LENGTH) return undefined;
  return refuse(`the name is longer than ${MAX_NAME_LENGTH} characters`, name);
}

function versionProblem({ tag, digest }: ImageReference): ImageReferenceCheck | undefined {
  if (tag === '') return refuse('the tag is empty', ':');
  if (tag !== undefined && tag.length > MAX_TAG_LENGTH) {
    return refuse(`the tag is longer than ${MAX_TAG_LENGTH} characters`, tag);
  }
  if (tag !== undefined && !TAG_PATTERN.test(tag)) {
    return refuse('the tag contains an invalid character', tag);
  }
  if (digest === undefined) return undefined;
  const [, algorithm = '', hex = ''] = /^([^:]*):(.*)$/.exec(digest) ?? [];
  const length = Object.hasOwn(digestLengths, algorithm) ? digestLengths[algorithm] : undefined;
  if (length === undefined) return refuse('the digest is not one of sha256, sha384 and sha512', digest);
  if (hex.length === length && /^[0-9a-f]+$/.test(hex)) return undefined;
  return refuse(`the digest must have ${length} lower-case hex digits`, digest);
}
