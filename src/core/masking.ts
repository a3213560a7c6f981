/**
 * Masks secrets whose values are unknown, by the names of options and keys and by the position of credentials in URLs:
 * `maskSetting` in an argument or a setting, `maskLogLine` in a line of a log or console. Secrets with known values are masked
 * by `createMasker` of knownSecrets.ts. The time is linear in the size of the text.
 */

export const HIDDEN = '(secret)';

const SECRET_WORD =
  'pass(?:word|wd|phrase)?|psk|secret|token|credentials?|creds|api[_-]?key|private[_-]?key|rootpwd';
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
  const masked = maskCredentials(text);
  const assigned = [...masked.matchAll(ASSIGNMENT)].find(({ 1: name = '' }) => isSecretName(name));
  const end = [assigned, secretValue.exec(masked)].reduce(
    (first, match) => (match ? Math.min(first, match.index + match[0].length) : first),
    masked.length,
  );
  return end === masked.length ? masked : masked.slice(0, end) + HIDDEN;
}

/** A line of a log or of a console without secrets: a value ends at the next blank, so that the rest stays readable. */
export function maskLogLine(text: string): string {
  return maskCredentials(text)
    .replaceAll(/(authorization: {0,4})(?:(?:basic|bearer) )?[^\s"'\\]+/gi, `$1${HIDDEN}`)
    .replaceAll(/(?<![\w.-])([\w.-]+)=(?!\s)[^\s"']+/g, (all, name: string) =>
      isSecretName(name) ? `${name}=${HIDDEN}` : all,
    );
}

/**
 * User and password between `://` and the last `@` before the path. The password may contain an `@`, and a `/` unless what
 * precedes it looks like a port.
 */
const USER_INFO =
  /(?<=:\/\/)(?:[^\s/@:[]{1,500}:(?!\d{1,5}[/"'])[^\s@]{0,2000}|[^\s/@]{1,2000})(?:@[^\s/?#"'@]*)*(?=@)/g;
const QUERY_VALUE =
  /(?<=[?&][\w.-]{0,40}(?:key|token|secret|sig|signature|password|credential)=)[^&\s"'#]+/gi;
const CURL_PASSWORD = /(\s(?:-u|-U|--user|--proxy-user)[ =]{0,4}["']?[^\s:"']{1,200}:)[^\s"']+/g;

/** Without the credentials and the tokens in URLs, and without the password of `curl -u NAME:PASSWORD`. */
function maskCredentials(text: string): string {
  const masked = text.replaceAll(USER_INFO, HIDDEN).replaceAll(QUERY_VALUE, HIDDEN);
  // Other programs have user and group IDs behind these options.
  return masked.includes('curl') ? masked.replaceAll(CURL_PASSWORD, `$1${HIDDEN}`) : masked;
}
