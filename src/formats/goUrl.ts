/**
 * URLs as Go's `net/url` parses them, because Ignition accepts sources by these rules. The URL class of JavaScript has other
 * rules: it repairs URLs that Go rejects, and rejects URLs that Go accepts. Ignition is built with GODEBUG
 * urlstrictcolons=0, so a host may contain several colons. User, host, path and fragment are checked, but not returned,
 * because no caller needs them.
 */

import { cutText } from './goText.ts';
import { parseIpv6 } from './hostName.ts';
import { escapeProblem, unescapeInPlace } from './percentEscapes.ts';

/** What a rule needs to know of a URL. */
export interface GoUrl {
  /** In lower case; empty for a URL without a scheme. */
  readonly scheme: string;
  /** What follows `scheme:` when that does not start with a slash, up to the query; else empty. */
  readonly opaque: string;
  /** Between `?` and `#`, still escaped. */
  readonly query: string;
}

/** Why a text is no URL, as a clause: `it contains a control character`. */
interface UrlProblem {
  readonly problem: string;
}

/** Reads an absolute or relative URL; the result has a `problem` where Go's `url.Parse` fails. */
export function parseGoUrl(text: string): GoUrl | UrlProblem {
  const [body, fragment] = cutText(text, '#');
  if (CONTROL_CHARACTER.test(body)) return { problem: 'it contains a control character' };
  if (body.startsWith(':')) return { problem: 'its scheme is missing' };
  const before = body.slice(0, Math.max(body.indexOf(':'), 0));
  const scheme = /^[A-Za-z]/.test(before) && !/[^A-Za-z0-9+.-]/.test(before) ? before : '';
  const [rest, query] = cutText(scheme === '' ? body : body.slice(scheme.length + 1), '?');
  const opaque = scheme !== '' && !rest.startsWith('/');
  const problem = (opaque ? undefined : hierarchyProblem(scheme, rest)) ?? escapeProblem(fragment);
  if (problem !== undefined) return { problem };
  return { scheme: scheme.toLowerCase(), opaque: opaque ? rest : '', query };
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

/**
 * The first value of a parameter, unescaped, or undefined where the query does not have it. As in Go, parameters that are
 * empty, contain a semicolon or a bad escape do not count. Bytes that are not UTF-8 become U+FFFD.
 */
export function queryParameter(query: string, name: string): string | undefined {
  for (const parameter of query.split('&')) {
    if (parameter === '' || parameter.includes(';') || escapeProblem(parameter) !== undefined) continue;
    const [key, value] = cutText(parameter, '=');
    if (unescapeQuery(key) === name) return unescapeQuery(value);
  }
  return undefined;
}

function unescapeQuery(text: string): string {
  return unescapeInPlace(Buffer.from(text.replaceAll('+', ' '))).toString('utf8');
}

function hierarchyProblem(scheme: string, rest: string): string | undefined {
  if (scheme === '' && !rest.startsWith('/') && cutText(rest, '/')[0].includes(':')) {
    return 'it has an invalid scheme';
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  if (!hasAuthority) return escapeProblem(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  return authorityProblem(authority) ?? (slash === -1 ? undefined : escapeProblem(rest.slice(slash)));
}

function authorityProblem(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const problem = hostProblem(authority.slice(at + 1));
  if (problem !== undefined || at === -1) return problem;
  const user = authority.slice(0, at);
  if (/[^A-Za-z0-9._:~!$&'()*+,;=%@-]/.test(user)) {
    return 'its user or password contains a character that must be escaped';
  }
  return escapeProblem(user);
}

function hostProblem(host: string): string | undefined {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) return 'its host contains a bracket';
  if (bracket === 0) return bracketedHostProblem(host);
  const colon = host.lastIndexOf(':');
  if (colon !== -1 && !isOptionalPort(host.slice(colon))) return 'its port is not a number';
  return hostTextProblem(host);
}

function bracketedHostProblem(host: string): string | undefined {
  const close = host.lastIndexOf(']');
  if (close === -1) return 'the bracket around its host is not closed';
  if (!isOptionalPort(host.slice(close + 1))) return 'its port is not a number';
  const address = host.slice(1, close);
  const zone = address.indexOf('%25');
  const problem =
    zone === -1
      ? hostTextProblem(address)
      : (hostTextProblem(address.slice(0, zone)) ?? zoneTextProblem(address.slice(zone)));
  if (problem !== undefined) return problem;
  // As Go's `netip.ParseAddr`: a zone may contain any byte, but not be empty.
  const text = unescapeInPlace(Buffer.from(address)).toString('latin1');
  const [plain, zoneName] = cutText(text, '%');
  const isIpv6 = (plain === text || zoneName !== '') && parseIpv6(plain) !== undefined;
  return isIpv6 ? undefined : 'its host is not an IPv6 address';
}

function isOptionalPort(text: string): boolean {
  return text === '' || (text.startsWith(':') && !/[^0-9]/.test(text.slice(1)));
}

// No expression repeats a class, because that requires a deep stack for long texts. A search for one character does not.
const HOST_CHARACTERS = `A-Za-z0-9!$&'()*+,;=:\\[\\]<>"_.~\\-`;
const notHostText = new RegExp(`[^${HOST_CHARACTERS}%\\u0080-\\uffff]`);
const hostByte = new RegExp(`^[${HOST_CHARACTERS}]$`);

function hostTextProblem(text: string): string | undefined {
  // In a host, escapes are for bytes outside ASCII, and for the percent sign before a zone.
  return textProblem(text, (byte) => byte >= 0x80 || byte === 0x25);
}

function zoneTextProblem(text: string): string | undefined {
  return textProblem(text, (byte) => [0x20, 0x25].includes(byte) || hostByte.test(String.fromCharCode(byte)));
}

function textProblem(text: string, mayBeEscaped: (byte: number) => boolean): string | undefined {
  if (notHostText.test(text)) return 'its host contains an invalid character';
  const problem = escapeProblem(text);
  if (problem !== undefined) return problem;
  const bytes = Array.from(text.matchAll(/%(..)/g), ([, digits = '']) => Number.parseInt(digits, 16));
  return bytes.every(mayBeEscaped) ? undefined : 'its host contains an invalid escape';
}
