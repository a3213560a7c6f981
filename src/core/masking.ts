/** Masks secrets in texts for output, by the names of options and keys, and by the position of credentials in URLs. */

export const hidden = '(secret)';

const secretWord =
  'pass(?:word|wd|phrase)?|psk|secret|token|credentials?|creds|api[_-]?key|private[_-]?key|rootpwd';
const secretName = new RegExp(`(?:^|[^a-z])(?:${secretWord}|key|pin)\\d{0,3}$|password|secret|token`, 'i');
/** Text after a match is masked: it may hide more than the value, but never less. */
const secretValue = new RegExp(
  `(?:${secretWord})\\d{0,3}["']?[=:]|(?<=-[\\w-]{0,40})(?:${secretWord})[ \\t]`,
  'i',
);

/** Whether an option, a variable or a key of this name contains a secret. False for names of files and of flags. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !/(?:file|path|flags|dir|required|timeout|ttl)$/i.test(name);
}

/** A line of a log or of a console without credentials of URLs and of HTTP, and without values of parameters with a secret. */
export function maskLine(text: string): string {
  return maskCredentials(text)
    .replaceAll(/(authorization: {0,4})(?:(?:basic|bearer) )?[^\s"'\\]+/gi, `$1${hidden}`)
    .replaceAll(/([\w.-]{1,80})=(?!\s)[^\s"']+/g, (all, name: string) =>
      isSecretName(name) ? `${name}=${hidden}` : all,
    );
}

/**
 * Without credentials and without tokens in queries of URLs, and without the passwords of `curl -u NAME:PASSWORD`. Other
 * programs have user and group IDs there. A password with a `/` may look like the start of a path, but not a port.
 */
function maskCredentials(text: string): string {
  const masked = text
    .replaceAll(
      /(?<=:\/\/)(?:[^\s/@:[]{1,500}:(?!\d{1,5}[/"'])[^\s@]{1,2000}|[^\s/@]{1,2000})@/g,
      `${hidden}@`,
    )
    .replaceAll(
      /(?<=[?&][\w.-]{0,40}(?:key|token|secret|sig|signature|password|credential)=)[^&\s"'#]+/gi,
      hidden,
    );
  if (!masked.includes('curl')) return masked;
  return masked.replaceAll(
    /(\s(?:-u|-U|--user|--proxy-user)[ =]{0,4}["']?[^\s:"']{1,200}:)[^\s"']+/g,
    `$1${hidden}`,
  );
}

/** The text without passwords of URLs and commands, tokens in their queries, and what follows a name that speaks of a secret. */
export function maskText(text: string): string {
  const withoutCredentials = maskCredentials(text);
  if (withoutCredentials.includes('PRIVATE KEY')) return hidden;
  const match = secretValue.exec(withoutCredentials);
  if (match === null) return withoutCredentials;
  const end = match.index + match[0].length;
  return end === withoutCredentials.length ? withoutCredentials : withoutCredentials.slice(0, end) + hidden;
}
