/**
 * Masks secrets in texts for output: by their value in every encoding (`createMasker`), and, where the values are unknown,
 * by the names of options and keys and by the position of credentials in URLs. The time is linear in the size of the text.
 */

export const HIDDEN = '(secret)';

const SECRET_WORD =
  'pass(?:word|wd|phrase)?|psk|secret|token|credentials?|creds|api[_-]?key|private[_-]?key|rootpwd';
const secretName = new RegExp(`(?:^|[^a-z])(?:${SECRET_WORD}|key|pin)\\d{0,3}$|password|secret|token`, 'i');
/** Text after a match is masked: it may hide more than the value, but never less. */
const secretValue = new RegExp(
  `(?:${SECRET_WORD})\\d{0,3}["']?[=:]|(?<=-[\\w-]{0,40})(?:${SECRET_WORD})[ \\t]`,
  'i',
);

/** A name and what assigns a value to it, also with spaces as in the agent's conf. */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)\s?=\s?/g;

/** Whether an option, a variable or a key of this name contains a secret. False for names of files and of flags. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !/(?:file|path|flags|dir|required|timeout|ttl)$/i.test(name);
}

/** A line of a log or of a console without credentials of URLs and of HTTP, and without values of parameters with a secret. */
export function maskLine(text: string): string {
  return maskCredentials(text)
    .replaceAll(/(authorization: {0,4})(?:(?:basic|bearer) )?[^\s"'\\]+/gi, `$1${HIDDEN}`)
    .replaceAll(/(?<![\w.-])([\w.-]+)=(?!\s)[^\s"']+/g, (all, name: string) =>
      isSecretName(name) ? `${name}=${HIDDEN}` : all,
    );
}

/**
 * Without credentials and without tokens in queries of URLs, and without the passwords of `curl -u NAME:PASSWORD`. Other
 * programs have user and group IDs there.
 */
function maskCredentials(text: string): string {
  const masked = maskUserInfo(text).replaceAll(
    /(?<=[?&][\w.-]{0,40}(?:key|token|secret|sig|signature|password|credential)=)[^&\s"'#]+/gi,
    HIDDEN,
  );
  if (!masked.includes('curl')) return masked;
  return masked.replaceAll(
    /(\s(?:-u|-U|--user|--proxy-user)[ =]{0,4}["']?[^\s:"']{1,200}:)[^\s"']+/g,
    `$1${HIDDEN}`,
  );
}

/** Longer text before an `@` is not a user and a password. */
const MAX_USER_INFO = 2500;
/** A password with a `/` may look like the start of a path, but not a port. */
const USER_AND_COLON = /[^\s/@:[]{1,500}:(?!\d{1,5}[/"'])/y;

/** Masks what is between `://` and `@`. */
function maskUserInfo(text: string): string {
  const nextAt = createFinder(text, /@/g);
  const nextBlank = createFinder(text, /\s/g);
  const nextSlash = createFinder(text, /\//g);
  const nextStop = createFinder(text, /[\s/?#"']/g);
  const spans: Span[] = [];
  for (let start = text.indexOf('://'); start !== -1; start = text.indexOf('://', start)) {
    start += 3;
    const at = nextAt(start);
    if (at === text.length) break;
    if (at === start || at > nextBlank(start) || at - start > MAX_USER_INFO) continue;
    USER_AND_COLON.lastIndex = start;
    if (at > nextSlash(start) && !USER_AND_COLON.test(text)) continue;
    // The password itself may contain an `@`.
    let end = at;
    for (let next = nextAt(at + 1); next < nextStop(at + 1); next = nextAt(next + 1)) end = next;
    spans.push({ start, end });
    start = end;
  }
  return hideSpans(text, spans);
}

/** The text without passwords of URLs and commands, tokens in their queries, and what follows a name that speaks of a secret. */
export function maskText(text: string): string {
  const withoutCredentials = maskCredentials(text);
  if (withoutCredentials.includes('PRIVATE KEY')) return HIDDEN;
  const assignments = [...withoutCredentials.matchAll(ASSIGNMENT)];
  const assigned = assignments.find(({ 1: name = '' }) => isSecretName(name));
  const named = secretValue.exec(withoutCredentials);
  const ends = [assigned, named].flatMap((match) => (match ? [match.index + match[0].length] : []));
  const end = ends.reduce((first, other) => Math.min(first, other), withoutCredentials.length);
  return end === withoutCredentials.length ? withoutCredentials : withoutCredentials.slice(0, end) + HIDDEN;
}

/**
 * Finds the next match of a pattern (with the flag g) at or after a position. The positions must ascend: so the text is
 * read once. Returns the length of the text if no match follows.
 */
export function createFinder(text: string, pattern: RegExp): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    pattern.lastIndex = from;
    found = pattern.exec(text)?.index ?? text.length;
    return found;
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** @param spans sorted by their start */
function hideSpans(text: string, spans: readonly Span[], label = HIDDEN): string {
  const parts: string[] = [];
  let end = 0;
  for (const span of spans) {
    if (span.start >= end) parts.push(text.slice(end, span.start), label);
    end = Math.max(end, span.end);
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(end);
}

// Secrets with known values.

/** Returns a text without secrets. */
export type Masker = (text: string) => string;

/**
 * Characters. Shorter secrets are not masked: a password `a` would hide each `a`. The pair `user:password`, which HTTP
 * sends as base64, is longer, and is masked as a secret of its own.
 */
const MIN_SECRET = 4;

/** What may encode an encoded text: JSON in JSON, in the query of a URL. */
const MAX_LEVELS = 3;

/**
 * A function that masks these secrets in texts from outside: responses, messages and output of other programs. It finds each
 * secret as it is, percent-encoded, as a form value, escaped for JSON, a shell or HTML, any mixture of these, and in base64 at
 * every alignment, also as a part of a longer text: of a base64 text with a secret, everything is masked. Secrets with fewer
 * than four characters are ignored.
 * @param label what is shown instead of a secret
 */
export function createMasker(secrets: Iterable<string>, label = HIDDEN): Masker {
  const plain = new Set<string>();
  const inBase64 = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET) continue;
    for (const form of formsOf(secret)) plain.add(form);
    const bytes = Buffer.from(secret); // well-formed, unlike a text
    const written = [
      bytes.toString(),
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(bytes.toString()),
    ];
    for (const core of written.flatMap((form) => base64Cores(Buffer.from(form)))) {
      for (const form of formsOf(core)) inBase64.add(form);
    }
  }
  if (plain.size === 0) return (text) => text;
  return (text) => {
    const spans: Span[] = [];
    let level: Decoded | undefined = encodeText(text);
    for (let count = 0; level !== undefined && count <= MAX_LEVELS; count += 1) {
      for (const form of plain) for (const span of findAll(level, form, isNothing)) spans.push(span);
      for (const form of inBase64) for (const span of findAll(level, form, isBase64)) spans.push(span);
      level = decodeEscapes(level);
    }
    const sorted = spans.toSorted((a, b) => a.start - b.start);
    return hideSpans(text, sorted, label);
  };
}

/** A copy of a value in which all texts are masked, except for the keys of objects. */
export function maskTexts<T>(value: T, mask: Masker): T;
export function maskTexts(value: unknown, mask: Masker): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => maskTexts(item, mask));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskTexts(member, mask)]));
}

/** The secrets of a URL: password or user, values of its query, and folders of its path that may be tokens. */
export function secretsOfUrl({ password, pathname, search, username }: URL): readonly string[] {
  const login = password === '' ? [username] : [password, `${username}:${password}`];
  const values = [...new URLSearchParams(search).values()];
  const folders = pathname.split('/').slice(0, -1);
  return [
    ...login.flatMap((text) => [text, decoded(text)]),
    ...values,
    ...folders.filter((name) => name.length >= MIN_TOKEN),
  ];
}

/** The secrets of all URLs in a request or in arguments: a server or a program may quote them. */
export function secretsOfRequest(body: unknown): readonly string[] {
  const urls = (JSON.stringify(body) ?? '').match(/\bhttps?:\/\/[^\s"\\]+/g) ?? [];
  return urls.flatMap((url) => (URL.canParse(url) ? secretsOfUrl(new URL(url)) : []));
}

/** Characters. Folders with shorter names are not random. */
const MIN_TOKEN = 16;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The secret as it is at each level of decoding, in bytes: it may itself contain what looks like an escape. */
function formsOf(secret: string): readonly string[] {
  const forms: string[] = [];
  for (
    let level: Decoded | undefined = encodeText(secret);
    level !== undefined && forms.length <= MAX_LEVELS;
    level = decodeEscapes(level)
  ) {
    if (level.bytes.length >= MIN_SECRET) forms.push(level.bytes);
  }
  return forms;
}

/**
 * The characters of base64 that depend only on these bytes, for each of the three positions that a longer text gives them, in
 * both alphabets (RFC 4648, sections 4 and 5).
 */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const core = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    if (core.length < MIN_SECRET) return [];
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** A text as UTF-8, one character for each byte, and for each the span of the original text that it comes from. */
interface Decoded {
  readonly bytes: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

function encodeText(text: string): Decoded {
  const bytes = utf8(text);
  const [starts, ends] = [new Uint32Array(bytes.length), new Uint32Array(bytes.length)];
  let [at, filled] = [0, 0];
  for (const char of text) {
    const end = filled + (char.charCodeAt(0) < 0x80 ? 1 : Buffer.byteLength(char));
    starts.fill(at, filled, end);
    ends.fill(at + char.length, filled, end);
    [at, filled] = [at + char.length, end];
  }
  return { bytes, starts, ends };
}

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Escapes of URLs and forms, JSON and shells, and HTML. */
const ESCAPE =
  /%([0-9a-f]{2})|\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\([0-7]{3})|\\([^])|&#(\d{1,7});|&#x([0-9a-f]{1,6});|&(quot|amp|lt|gt|apos);|('\\''|'"'"')|(\+)/gi;

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const entities: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

/** The text with each escape replaced; undefined if it contains none. No escape is shorter than what it means. */
function decodeEscapes({ bytes, ends, starts }: Decoded): Decoded | undefined {
  const parts: string[] = [];
  const [newStarts, newEnds] = [new Uint32Array(bytes.length), new Uint32Array(bytes.length)];
  let [copied, filled] = [0, 0];
  const copyTo = (end: number): void => {
    parts.push(bytes.slice(copied, end));
    newStarts.set(starts.subarray(copied, end), filled);
    newEnds.set(ends.subarray(copied, end), filled);
    filled += end - copied;
  };
  for (const match of bytes.matchAll(ESCAPE)) {
    copyTo(match.index);
    const meant = unescape(match);
    copied = match.index + match[0].length;
    parts.push(meant);
    newStarts.fill(starts[match.index] ?? 0, filled, filled + meant.length);
    newEnds.fill(ends[copied - 1] ?? 0, filled, filled + meant.length);
    filled += meant.length;
  }
  if (copied === 0) return undefined;
  copyTo(bytes.length);
  return { bytes: parts.join(''), starts: newStarts, ends: newEnds };
}

/** @param match of `escape` */
function unescape(match: RegExpExecArray): string {
  const [, percent, high, low, unit, braced, byte, octal, own, decimal, hex, entity, quote] = match;
  const number = percent ?? byte;
  if (number !== undefined) return String.fromCharCode(Number.parseInt(number, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
  if (high !== undefined && low !== undefined) {
    return utf8(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
  }
  if (own !== undefined) return controls[own] ?? own;
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? '';
  if (quote !== undefined) return "'";
  const code = unit ?? braced ?? hex;
  if (code === undefined && decimal === undefined) return ' '; // a plus
  const point = code === undefined ? Number(decimal) : Number.parseInt(code, 16);
  return utf8(point > 0x10_ff_ff ? '\ufffd' : String.fromCodePoint(point));
}

const isNothing = (): boolean => false;
const isBase64 = (char: string): boolean => /[A-Za-z0-9+/=_-]/.test(char);

/** All occurrences, each with the characters around it that also belong to the secret. */
function findAll({ bytes, ends, starts }: Decoded, form: string, belongs: (char: string) => boolean): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, end)) {
    let start = at;
    while (start > end && belongs(bytes.charAt(start - 1))) start -= 1;
    end = at + form.length;
    while (end < bytes.length && belongs(bytes.charAt(end))) end += 1;
    spans.push({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 });
  }
  return spans;
}
