/**
 * Registry credentials in the format of `podman --authfile` and Kubernetes secrets: JSON with a member `auths`. Messages
 * never quote the text, and the error of the JSON parser is dropped.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError, orFormatError, type Position } from '../core/errors.ts';
import type { Problem } from '../core/finding.ts';
import { isGoBase64 } from '../formats/goText.ts';
import { readJsonTree } from '../formats/json/tree.ts';
import { lineColumns } from '../formats/lineColumns.ts';
import { asMapping, isMapping, mappingAt, parseIfJson, stringOf } from '../formats/mapping.ts';
import { syntaxHint } from '../ignition/hints.ts';

const EXPECTED_FORM = 'use JSON such as {"auths": {"quay.io": {"auth": "…"}}}, or its base64';

function invalid(problem: string, hint = EXPECTED_FORM, position?: Position): FormatError {
  return new FormatError(problem, { hint, ...(position && { position }) });
}

/**
 * Parses credentials from JSON or from its base64 (with or without line breaks, as Kubernetes and `base64` write it) to
 * JSON text. Throws FormatError without a subject.
 */
export function parsePullSecret(text: string): string {
  const json = decodePullSecret(text.trim());
  const secret = readJson(json, text);
  if (!isMapping(secret)) throw invalid('is not a JSON object');
  const { auths, credHelpers = {} } = secret;
  if (!isMapping(auths) && (auths !== undefined || secret['credHelpers'] === undefined)) {
    throw invalid('does not contain "auths"');
  }
  if (!isMapping(credHelpers) || !Object.values(credHelpers).every((name) => typeof name === 'string')) {
    throw invalid('contains "credHelpers" that are not an object with a program name for each registry');
  }
  for (const [registry, entry] of Object.entries(auths ?? {})) refuseEntry(registry, entry);
  return json;
}

/** podman ignores the whole file if one value has an invalid type. */
function refuseEntry(registry: string, entry: unknown): void {
  if (entry === null) return;
  if (!isMapping(entry)) {
    throw invalid(`contains no credentials object for the registry ${quoteText(registry)}`);
  }
  const name = ['auth', 'identitytoken'].find(
    (known) => entry[known] !== null && !['string', 'undefined'].includes(typeof entry[known]),
  );
  if (name === undefined) return;
  const place = `${quoteText(name)} for ${quoteText(registry)}`;
  throw invalid(`contains a value of ${place} that is not a string`);
}

function decodePullSecret(text: string): string {
  if (text === '') throw invalid('is empty');
  if (text.startsWith('{')) return text;
  const base64 = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) throw invalid('is neither JSON nor base64');
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** @param written the text with the JSON as it is, or with its base64, in which lines and columns have no meaning */
function readJson(text: string, written: string): unknown {
  const value = parseIfJson(text);
  if (value !== undefined) return value;
  const start = written.indexOf(text);
  const bytes = Buffer.from(written.slice(0, start + text.length));
  const error = start === -1 ? undefined : orFormatError(() => readJsonTree(bytes));
  if (!(error instanceof FormatError)) throw invalid('is not valid JSON');
  const { message, offset = 0 } = error; // the message quotes a character of the secret
  const position = offset > 0 ? lineColumns(bytes)(offset - 1) : undefined;
  throw invalid('is not valid JSON', syntaxHint(message, offset, bytes), position);
}

type CredentialState = 'usable' | 'empty' | 'not base64' | 'no colon' | 'no user';

const credentialProblems: Readonly<Record<Exclude<CredentialState, 'usable'>, string>> = {
  empty: 'has no "auth"',
  'not base64': 'has an "auth" that is not base64',
  'no colon': 'has an "auth" that is not the base64 of USER:PASSWORD: the colon is missing',
  'no user': 'has an "auth" without a user before the colon',
};

export interface Credentials {
  /** Credentials by registry or path. */
  readonly entries: ReadonlyMap<string, CredentialState>;
  /** Names of credential helpers by registry: `ecr-login` is the program `docker-credential-ecr-login` on the machine. */
  readonly helpers: ReadonlyMap<string, string>;
}

/**
 * The credentials for podman in a text from `parsePullSecret`. The result contains no secret. Docker's `credsStore` is
 * left out, because podman does not support it.
 */
export function readCredentials(json: string): Credentials {
  const { auths, credHelpers } = asMapping(JSON.parse(json));
  const entries = Object.entries(asMapping(auths)).map(
    ([name, entry]) => [name, stateOf(asMapping(entry)['auth'])] as const,
  );
  return {
    entries: new Map(entries),
    helpers: new Map(
      Object.entries(asMapping(credHelpers)).map(([name, helper]) => [name, stringOf(helper) ?? '']),
    ),
  };
}

/** The header `Authorization` of a login with an entry that is usable, in a text from `parsePullSecret`. */
export function authorizationOf(json: string, key: string): string {
  const { auth } = mappingAt(JSON.parse(json), ['auths', key]);
  return `Basic ${(stringOf(auth) ?? '').replaceAll(/[\r\n]/g, '')}`;
}

/** Like the decoder of Go, which skips line breaks, and podman, which ignores entries without a colon. */
function stateOf(auth: unknown): CredentialState {
  const base64 = typeof auth === 'string' ? auth.replaceAll(/[\r\n]/g, '') : '';
  if (base64 === '') return 'empty';
  if (!isGoBase64(base64)) return 'not base64';
  const decoded = Buffer.from(base64, 'base64').toString('latin1');
  if (decoded.startsWith(':')) return 'no user';
  return decoded.includes(':') ? 'usable' : 'no colon';
}

type Login =
  | { readonly helper: string }
  | {
      readonly key: string;
      readonly state: CredentialState;
    };

/**
 * The credentials that podman uses for an image, by its registry and path (containers-auth.json(5)): the helper of the
 * registry, else the entry of the longest path, else an entry of the registry in the format of Docker. Undefined if
 * no entry matches.
 */
export function findLogin(name: string, { entries, helpers }: Credentials): Login | undefined {
  const [registry = ''] = name.split('/', 1);
  const helper = helpers.get(registry);
  if (helper !== undefined) return { helper };
  for (let key = name; key !== ''; key = key.slice(0, Math.max(0, key.lastIndexOf('/')))) {
    const state = entries.get(key);
    if (state !== undefined) return { key, state };
  }
  const wanted = registryOf(registry);
  const [key, state] =
    [...entries].find(([one]) => {
      const rest = one.replace(/^https?:\/\//, ''); // older tools wrote URLs such as `https://quay.io/v2/`
      return registryOf(rest === one ? one : (rest.split('/', 1)[0] ?? '')) === wanted;
    }) ?? [];
  return key === undefined || state === undefined ? undefined : { key, state };
}

/** Docker Hub has several names. */
function registryOf(host: string): string {
  return ['docker.io', 'registry-1.docker.io'].includes(host) ? 'index.docker.io' : host;
}

export interface LoginProblem extends Problem {
  /** podman stops, instead of pulling without credentials. */
  readonly isFatal: boolean;
}

/**
 * Why podman has no credentials for an image with `names`, mirrors first; undefined if it has some for one of the names, or asks a
 * credential helper.
 */
export function findLoginProblem(
  names: readonly string[],
  credentials: Credentials,
): LoginProblem | undefined {
  const [name] = names.toReversed();
  const logins = names.flatMap((one) => findLogin(one, credentials) ?? []);
  if (name === undefined) return undefined;
  const [login] = logins;
  if (login === undefined) {
    const [registry = ''] = name.split('/', 1);
    const known = [...credentials.entries.keys()].slice(0, 10);
    const others = known.length === 0 ? 'it has no entries' : `it has entries for ${known.join(', ')}`;
    return {
      message: `the pull secret has no entry for the image ${name}: ${others}`,
      hint: `add an entry for ${registry}, or remove the pull secret if the image is public`,
      isFatal: false,
    };
  }
  if ('helper' in login || login.state === 'usable') return undefined;
  if (logins.some((other) => 'helper' in other || other.state === 'usable')) return undefined;
  return {
    message: `the entry for ${quoteText(login.key)} ${credentialProblems[login.state]}`,
    hint: `log in with "podman login --authfile FILE ${login.key}", and use that file`,
    isFatal:
      logins.length === names.length && logins.every((one) => 'state' in one && one.state === 'not base64'),
  };
}
