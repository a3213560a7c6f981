/**
 * URLs of Ironic for the agent. The agent itself checks only the start of the first URL, so unusable URLs are refused
 * here. Not supported on purpose: user names in URLs (they would appear in logs), queries and fragments (the agent appends
 * paths).
 */

import { quoteText } from '../core/foreignText.ts';
import { trimEndOf } from '../core/trimming.ts';
import { UsageError } from '../core/errors.ts';
import type { Problem } from '../core/finding.ts';
import { type Host, formatUrlHost, parseHost } from '../formats/hostName.ts';
import type { Rule } from '../core/rule.ts';
import { findAddressProblem } from './machineAddress.ts';

export const DEFAULT_IRONIC_PORT = 6385;
/** Default port of ironic-inspector, which newer releases of Ironic do not include. */
export const DEFAULT_INSPECTOR_PORT = 5050;

const MDNS = 'mdns';
const URL_HINT = 'use a URL such as https://192.0.2.1:6385 or https://[2001:db8::1]:6385';

interface IronicUrl {
  readonly scheme: 'http' | 'https';
  readonly host: Exclude<Host, { kind: 'invalid' }>;
  readonly port?: number | undefined;
  /** With the leading slash; may be empty. */
  readonly path: string;
}

/**
 * The URL for a host: a name, an IPv4 or an IPv6 address, the latter with or without brackets. `flag` is the source of the host, for
 * messages.
 */
export function ironicHostUrl(
  host: string,
  { flag, port, scheme }: Pick<IronicUrl, 'port' | 'scheme'> & Pick<UrlSource, 'flag'>,
): string {
  const bracketed = host.startsWith('[') && host.endsWith(']');
  const parsed = parseHost(bracketed ? host.slice(1, -1) : host);
  if (parsed.kind !== 'invalid' && (!bracketed || parsed.kind === 'ipv6')) {
    return formatIronicUrl({ scheme, host: parsed, port, path: '' });
  }
  const why = parsed.kind === 'invalid' ? parsed.problem : 'brackets are valid only for IPv6 addresses';
  const shown = host.includes('@') ? '' : ` ${quoteText(host)}`;
  throw new UsageError(`${flag} requires a host name or address; the value${shown} is invalid: ${why}`, {
    hint: 'pass a host such as ironic.example.com or 192.0.2.1, or a whole URL with --api-url',
  });
}

export interface UrlSource {
  readonly flag: string;
  /** Added to URLs without a port. */
  readonly defaultPort?: number;
  /** The user chose `defaultPort`, so it is added to URLs with a path, too. */
  readonly isPortChosen?: boolean;
}

/**
 * The URLs of a comma-separated list for `api_url`, trimmed, with lower-case schemes; or only `mdns`, with which the agent
 * discovers Ironic by mDNS. If `defaultPort` is set, it is added to URLs without a path: service catalogs list URLs with a
 * path on the port of the scheme. Throws UsageError for the first invalid URL.
 */
export function checkApiUrls(text: string, source: UrlSource): readonly string[] {
  return convertUrls(text, source.flag, findVersionProblem, (url) => formatWithPort(url, source));
}

/** Like `checkApiUrls`, for `inspection_callback_url`: its URLs are complete, so nothing is added. */
export function checkCallbackUrl(text: string, flag: string): readonly string[] {
  return convertUrls(text, flag, () => undefined, formatIronicUrl);
}

/** URLs for inspection data, from base URLs of ironic-inspector; adds its port and path unless they are present. */
export function parseInspectorUrls(text: string, source: UrlSource): readonly string[] {
  return convertUrls(text, source.flag, findInspectorProblem, (url) => {
    const [end = '/v1/continue'] = INSPECTION_PATH.exec(url.path) ?? [];
    const path = trimEndOf(url.path.replace(INSPECTION_PATH, ''), '/');
    return `${formatWithPort({ ...url, path }, source)}${end}`;
  });
}

/** The path of ironic-inspector, or of inspection in Ironic itself. */
const INSPECTION_PATH = /\/v1\/continue(?:_inspection)?$/;

type FindProblem = (url: IronicUrl) => Problem | undefined;

/** The parts of a URL, or its first problem. */
function checkUrl(text: string, findProblem: FindProblem): IronicUrl | Problem {
  const url = parseIronicUrl(text);
  if ('message' in url) return url;
  const address = findAddressProblem(url.host);
  // The agent cannot use such an address, regardless of the setup of Ironic.
  return address?.severity === 'error' ? address : (findProblem(url) ?? url);
}

function convertUrls(
  text: string,
  flag: string,
  findProblem: FindProblem,
  format: (url: IronicUrl) => string,
): readonly string[] {
  if (text.trim() === MDNS) return [MDNS];
  return text.split(',').map((item) => {
    const url = checkUrl(item.trim(), findProblem);
    if ('message' in url) throw new UsageError(`${flag}: ${url.message}`, { hint: url.hint });
    return format(url);
  });
}

function formatWithPort(url: IronicUrl, { defaultPort, isPortChosen = false }: UrlSource): string {
  const isCompleted = isPortChosen || /^\/*$/.test(url.path);
  const { port = isCompleted ? defaultPort : undefined } = url;
  return formatIronicUrl({ ...url, port });
}

export function validUrls(items: readonly string[]): IronicUrl[] {
  return items.map(parseIronicUrl).flatMap((url) => ('message' in url ? [] : url));
}

function findInspectorProblem(url: IronicUrl): Problem | undefined {
  return INSPECTION_PATH.test(url.path) ? undefined : findVersionProblem(url);
}

/**
 * Paths of Ironic and ironic-inspector that the agent requests, or that users copy from elsewhere. A match starts only at the
 * first of several slashes, as otherwise many of them would take quadratic time.
 */
const API_PATH =
  /(?<!\/)\/+v1(?:\/+(?:lookup|heartbeat|nodes|ports|drivers|conductors|allocations|continue|continue_inspection|introspection)(?:\/.*)?)?\/*$/;

function findVersionProblem(url: IronicUrl): Problem | undefined {
  if (!API_PATH.test(url.path)) return undefined;
  const base = formatIronicUrl({ ...url, path: url.path.replace(API_PATH, '') });
  return { message: 'the URL contains the path /v1, which the agent appends', hint: `use ${base}` };
}

/** A path that does not accept inspection data; services other than Ironic may use any other path. */
function findCallbackProblem(url: IronicUrl): Problem | undefined {
  if (!/^\/*$|\/v1\/*$/.test(url.path)) return undefined;
  const base = formatIronicUrl({ ...url, path: url.path.replace(/(?<!\/)(?:\/+v1)?\/*$/, '') });
  return {
    message: 'the URL does not contain the path for inspection data',
    hint: `use ${base}/v1/continue_inspection, or ${base}/v1/continue for ironic-inspector`,
  };
}

export function hasHttpsUrl(list: string): boolean {
  return list.split(',').some((url) => /^\s*https:/i.test(url));
}

/** The first URL of a list with an address that does not lead to another machine, but may be intended. */
export function findUrlListAddress(list: string): Rule | undefined {
  const problems = validUrls(list.split(',')).map(({ host }) => findAddressProblem(host));
  return problems.find((problem) => problem?.severity === 'warning');
}

const findOptionProblem = { api_url: findVersionProblem, inspection_callback_url: findCallbackProblem };

/** The first problem in a list, parsed like the agent, for which blanks count; undefined if all URLs are valid. */
export function findUrlProblem(list: string, option: keyof typeof findOptionProblem): Problem | undefined {
  if (list === MDNS) return undefined;
  for (const item of list.split(',')) {
    if (item === '') continue;
    const problem = findBlankUrl(item) ?? checkUrl(item, findOptionProblem[option]);
    if ('message' in problem) return problem;
  }
  return undefined;
}

/** Reports a URL of a list with a blank before or after it. */
export function findBlankUrl(list: string): Problem | undefined {
  if (!/(?:^|,)\s|\s(?:,|$)/.test(list)) return undefined;
  return { message: 'there is whitespace next to a comma', hint: 'remove the whitespace' };
}

function refusal(message: string, hint = URL_HINT): Problem {
  return { message, hint };
}

export function parseIronicUrl(text: string): IronicUrl | Problem {
  if (text === '') return refusal('a URL is empty', 'remove the extra comma, or add a URL');
  if (text === MDNS) return refusal('"mdns" is combined with URLs', 'use either only "mdns" or URLs');
  // Control characters include line breaks and tabs.
  if (/[\s\p{Cc}]/u.test(text)) return refusal('the URL contains whitespace', 'separate URLs with commas');
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(.*)$/u.exec(text);
  const shown = text.includes('@') ? '' : ` ${quoteText(text)}`;
  if (parts === null) return refusal(`the URL${shown} does not start with http:// or https://`);
  const [, given = '', authority = '', path = '', rest = ''] = parts;
  const scheme = given.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') {
    return refusal(`the agent does not support the scheme ${quoteText(given)}`);
  }
  if (authority.includes('@')) {
    const hint = 'remove the user name: Ironic accepts lookups and heartbeats without a login';
    return refusal('the URL contains a user name', hint);
  }
  if (rest !== '') return refusal('the URL contains a query or fragment', 'remove the query or fragment');
  const [, place, digits] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority) ?? [];
  if (place === undefined) return refusal('the URL has an invalid host or port');
  if (place === '') return refusal('the URL contains no host');
  const host = place.startsWith('[') ? parseBracketed(place.slice(1, -1)) : parseHost(place);
  if (host.kind === 'invalid') return refusal(`the host of the URL is invalid: ${host.problem}`);
  const port = digits === undefined ? undefined : Number(digits);
  if (digits === '' || (port !== undefined && (port < 1 || port > 65535))) {
    return refusal('the port of the URL is not a number from 1 to 65535');
  }
  return { scheme, host, port, path };
}

/** With the escape of "%" before a zone that a URL requires. */
function parseBracketed(text: string): Host {
  const host = parseHost(text.replace('%25', '%'));
  if (host.kind === 'ipv6' && (host.zone === undefined || text.includes('%25'))) return host;
  const zone = 'the "%" before a zone must be written as "%25" in a URL';
  return {
    kind: 'invalid',
    problem: host.kind === 'ipv6' ? zone : 'brackets are valid only for IPv6 addresses',
  };
}

export function formatIronicUrl({ scheme, host, port, path }: IronicUrl): string {
  return `${scheme}://${formatUrlHost(host)}${port === undefined ? '' : `:${port}`}${path}`;
}
