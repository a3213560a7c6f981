/**
 * Finds secrets whose values are unknown, by the names of options and keys and by the position of credentials in URLs.
 * `maskSetting` hides them in an argument or a setting, `maskLogLine` in a line of a log or console. Secrets with known values are
 * masked by `createMasker` of knownSecrets.ts. The time is linear in the size of the text.
 */

import { joinSpans, overwrite, type Span, spansOf } from './spans.ts';

export const HIDDEN = '(secret)';

const SECRET_WORD =
  'pass(?:word|wd|phrase)?|psk|mka-cak|secret|token|credentials?|creds|api[_-]?key|private[_-]?key|rootpwd';
const secretName = new RegExp(`(?:^|[^a-z])(?:${SECRET_WORD}|key|pin)\\d{0,3}$|password|secret|token`, 'i');
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

/**
 * An argument, an option, or a line of a config file without secrets: everything behind a name that speaks of a secret is masked,
 * because the value may contain blanks.
 */
export function maskSetting(text: string): string {
  if (text.includes('PRIVATE KEY')) return HIDDEN;
  const masked = maskLogLine(text);
  const assigned = [...masked.matchAll(ASSIGNMENT)].find(({ 1: name = '' }) => isSecretName(name));
  const end = [assigned, secretValue.exec(masked)].reduce(
    (first, match) => (match ? Math.min(first, match.index + match[0].length) : first),
    masked.length,
  );
  return end === masked.length ? masked : masked.slice(0, end) + HIDDEN;
}

/** A line of a log or of a console without secrets: a value ends at the next blank, so that the rest stays readable. */
export function maskLogLine(text: string): string {
  return overwrite(text, findSecretParts(text), () => HIDDEN);
}

/** What a secret in a text looks like; the secret is the whole match, or its group `value`. */
const secretShapes: readonly RegExp[] = [
  // User and password in a URL: up to the last `@` before the path, because a password may contain one.
  /(?<=:\/\/)[^\s/?#"]{1,2000}(?=@)/g,
  // The same with a slash or quotes in the password, unless what precedes it looks like a port.
  /(?<=:\/\/)[^\s/@:["]{1,500}:(?!\d{1,5}[/"'])[^\s@]{1,2000}(?:@[^\s/?#"'@]{0,2000})?(?=@)/g,
  // The same with blanks in the password, or with a line break, which YAML permits.
  /(?<=:\/\/)[^\s/?#"@:]{1,200}:(?!\d{1,5}[\s/])[^/?#"\n@]{1,2000}(?:\n[ \t]+[^/?#"\n@]{0,2000})?(?=@)/g,
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  // `?token=…` in a URL.
  /(?<=[?&][\w.-]{0,40}(?:key|token|secret|sig|signature|password|credential)=)[^&\s"#]+/gi,
  // `Authorization: Bearer …`
  /(?<before>authorization: {0,4})(?=(?<value>(?:(?:basic|bearer) )?[^\s"'\\]+))/gi,
  // `--creds user:password`; the value of `--secret` is only a name. The value may itself look like such an option.
  /(?<=^|\s)(?<before>--?(?:creds|password|passwd|passphrase|token)[ \t]+)(?=(?<value>(?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[^\s"'])+))/g,
  // `podman login -p password`.
  /(?<before>\blogin[ \t][^\n]{0,300}?(?<=[ \t])-p[ \t=]*)(?=(?<value>(?:"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|[^\s"'])+))/g,
];

/** `curl -u NAME:PASSWORD`: other programs have user and group IDs behind these options. */
const CURL_PASSWORD =
  /(?<before>\s(?:-u|-U|--user|--proxy-user)[ =]{0,4}["']?[^\s:"']{1,200}:)(?=(?<value>[^\s"']+))/g;

/** The secrets in any text, in order and without overlaps. */
export function findSecretParts(text: string): Span[] {
  if (!/[=@:?-]/.test(text)) return [];
  const shapes = text.includes('curl') ? [...secretShapes, CURL_PASSWORD] : secretShapes;
  return joinSpans([...shapes.flatMap((shape) => spansOf(text, shape)), ...findAssignments(text)]);
}

/** `NAME=value` with a name like a secret, with or without quotes. */
export function findAssignments(text: string): Span[] {
  const findValue = createValueFinder(text);
  return Array.from(text.matchAll(/(?<![\w.-])([\w.-]{1,64})=(?=\S)/g)).flatMap(
    ({ 0: match, 1: name = '', index }) => (isSecretName(name) ? [findValue(index + match.length)] : []),
  );
}

/** Returns a function for values that start at increasing offsets: for all of them, it goes through the text once. */
function createValueFinder(text: string): (start: number) => Span {
  const nextLineFeed = createFinder(text, /\n/g);
  const nextBlank = createFinder(text, /\s/g);
  // A secret may contain escaped quotes, and quotes that somebody forgot to escape.
  const nextQuote = {
    '"': createFinder(text, /(?<!\\)"(?=[\s,;)}\]]|$)/gm),
    "'": createFinder(text, /(?<!\\)'(?=[\s,;)}\]]|$)/gm),
  };
  let at = 0;
  let open: '"' | "'" | undefined;
  return (start) => {
    for (; at < start; at += 1) {
      const character = text[at];
      if (character === '\n' || character === open) open = undefined;
      else if (open === undefined && (character === '"' || character === "'")) open = character;
    }
    const first = text[start];
    const lineEnd = nextLineFeed(start);
    if (first === '"' || first === "'")
      return { start: start + 1, end: Math.min(nextQuote[first](start + 1), lineEnd) };
    return { start, end: open === undefined ? nextBlank(start) : Math.min(nextQuote[open](start), lineEnd) };
  };
}

/**
 * Finds the next match of a pattern (with the flag g) at or after a position. The positions must ascend: so the text is
 * read once. Returns the length of the text if no match follows.
 */
function createFinder(text: string, pattern: RegExp): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    pattern.lastIndex = from;
    found = pattern.exec(text)?.index ?? text.length;
    return found;
  };
}
