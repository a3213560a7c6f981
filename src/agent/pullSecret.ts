/**
 * Registry credentials in the format of `podman --authfile` and Kubernetes secrets: JSON with a member `auths`. Messages
 * never quote the text, and the error of the JSON parser is dropped.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError, type Position } from '../core/errors.ts';
import { readJsonTree } from '../formats/json/tree.ts';
import { lineColumns } from '../formats/lineColumns.ts';
import { asMapping, isMapping, parseIfJson } from '../formats/mapping.ts';
import { lintError, lintWarning, type Rule } from '../core/rule.ts';

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
  if (start !== -1) explainSyntax(Buffer.from(written.slice(0, start + text.length)));
  throw invalid('is not valid JSON');
}

/** Throws the error about text that is not JSON. */
function explainSyntax(bytes: Buffer): void {
  try {
    readJsonTree(bytes);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { message, offset } = error; // the message quotes a character of the secret
    if (offset === undefined) return;
    if (message === 'unexpected end of JSON input') {
      throw invalid('is not valid JSON: it ends too early', 'add what is missing at the end, such as "}"');
    }
    const isTrailing = /,\s*[}\]]$/.test(bytes.toString('utf8', 0, offset));
    const isUnseparated = /after (?:object key:value pair|array element)$/.test(message);
    const hint = isTrailing
      ? 'remove the comma before it'
      : isUnseparated
        ? 'add a comma before it'
        : undefined;
    throw invalid('is not valid JSON', hint, lineColumns(bytes)(offset - 1));
  }
}

/** How podman interprets an entry. */
type CredentialState = 'usable' | 'empty' | 'not base64' | 'no colon' | 'no user';

/** Why podman ignores an entry. */
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
    helpers: new Map(Object.entries(asMapping(credHelpers)).map(([name, helper]) => [name, String(helper)])),
  };
}

/** Like the decoder of Go, which skips line breaks, and podman, which ignores entries without a colon. */
function stateOf(auth: unknown): CredentialState {
  const base64 = typeof auth === 'string' ? auth.replaceAll(/[\r\n]/g, '') : '';
  if (base64 === '') return 'empty';
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) return 'not base64';
  const decoded = Buffer.from(base64, 'base64').toString('latin1');
  if (decoded.startsWith(':')) return 'no user';
  return decoded.includes(':') ? 'usable' : 'no colon';
}

/** What podman uses for an image. */
type Login =
  | { readonly helper: string }
  | {
      /** The key of the entry. */
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
  const [key, state] = [...entries].find(([one]) => registryOf(withoutScheme(one)) === wanted) ?? [];
  return key === undefined || state === undefined ? undefined : { key, state };
}

/** Older tools wrote URLs such as `https://quay.io/v2/`. */
function withoutScheme(key: string): string {
  const rest = key.replace(/^https?:\/\//, '');
  return rest === key ? key : (rest.split('/', 1)[0] ?? '');
}

/** Docker Hub has several names. */
function registryOf(host: string): string {
  return ['docker.io', 'registry-1.docker.io'].includes(host) ? 'index.docker.io' : host;
}

export const credentialRules = {
  entry: lintWarning(
    'agent-secret-entry',
    'podman ignores an entry of the pull secret, because it contains no valid credentials',
    'log in with "podman login --authfile FILE REGISTRY", and use that file',
  ),
  unreadable: lintError(
    'agent-secret-unreadable',
    'podman cannot decode the credentials of the image, and does not pull it without them',
    'log in with "podman login --authfile FILE REGISTRY", and use that file',
  ),
  registry: lintWarning(
    'agent-secret-registry',
    'the pull secret has no entry for the registry of the image',
    'add an entry for the registry, or remove the pull secret if the image is public',
  ),
  helper: lintWarning(
    'agent-secret-helper',
    'podman gets the credentials of the image from a program that CoreOS does not contain',
    'log in with "podman login --authfile FILE REGISTRY" on a machine without the helper, and use that file',
  ),
};

/** The value of `credential-helpers` for the files of credentials. */
const AUTH_FILES = 'containers-auth.json';

/**
 * The helper programs without which podman gets no credentials for an image.
 * @param names of the image that is pulled with the credentials
 * @param global `credential-helpers` of registries.conf
 * @param hasProgram whether the host gets a program, by its name
 */
export function findHelperProblems(
  credentials: Credentials,
  names: readonly string[],
  global: readonly string[] = [],
  hasProgram: (name: string) => boolean = () => false,
): Rule[] {
  const { helper: rule } = credentialRules;
  if (global.length > 0 && !global.includes(AUTH_FILES) && names.length > 0) {
    const message = `podman ignores the pull secret, because credential-helpers of registries.conf does not list ${quoteText(AUTH_FILES)}`;
    return [
      { ...rule, message, hint: `add ${quoteText(AUTH_FILES)} to credential-helpers, or remove the line` },
    ];
  }
  const found = names.flatMap((name) => {
    const login = findLogin(name, credentials);
    const program =
      login !== undefined && 'helper' in login ? `docker-credential-${login.helper}` : undefined;
    if (program === undefined || hasProgram(program)) return [];
    const [registry = ''] = name.split('/', 1);
    const message = `podman gets the credentials for ${registry} from a credential helper, a program that CoreOS does not contain`;
    const hint = `remove ${quoteText(registry)} from credHelpers, and add credentials: podman login --authfile FILE ${registry}`;
    return [[message, { ...rule, message, hint }] as const];
  });
  return [...new Map(found).values()];
}

/**
 * One problem for each entry that podman ignores; entries for registries with a credential helper may be empty.
 * @param names of the image that is pulled with the credentials
 */
export function findEntryProblems(credentials: Credentials, names: readonly string[]): Rule[] {
  const { entries, helpers } = credentials;
  const isFatal =
    names.length > 0 &&
    names.every((name) => {
      const login = findLogin(name, credentials);
      return login !== undefined && 'state' in login && login.state === 'not base64';
    });
  return [...entries].flatMap(([name, state]) => {
    if (state === 'usable' || (state === 'empty' && helpers.has(name))) return [];
    return [
      {
        ...(isFatal && state === 'not base64' ? credentialRules.unreadable : credentialRules.entry),
        message: `the entry for ${quoteText(name)} ${credentialProblems[state]}`,
        hint: `log in with "podman login --authfile FILE ${name}", and use that file`,
      },
    ];
  });
}

/** The missing credentials of an image with `names`, mirrors first; undefined if one of the names is covered. */
export function findMissingCredentials(names: readonly string[], credentials: Credentials): Rule | undefined {
  const [name] = names.toReversed();
  // An unusable entry is a separate problem.
  if (name === undefined || names.some((it) => findLogin(it, credentials) !== undefined)) return undefined;
  const [registry = ''] = name.split('/', 1);
  const known = [...credentials.entries.keys()].slice(0, 10);
  const others = known.length === 0 ? 'it has no entries' : `it has entries for ${known.join(', ')}`;
  return {
    ...credentialRules.registry,
    message: `the pull secret has no entry for the image ${name}: ${others}`,
    hint: `add an entry for ${registry}, or remove the pull secret if the image is public`,
  };
}
