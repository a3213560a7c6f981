/**
 * The URLs by which the agent reaches Ironic. The agent itself looks at little more than how the first one starts, so
 * all that it could not use is refused here. Left out on purpose: user names in URLs (they would end up in logs), queries
 * and fragments (the agent appends paths).
 */

import { UsageError } from '../errors.ts';
import type { Host } from '../formats/hostName.ts';
import { formatUrlHost, parseHost } from '../formats/hostName.ts';

/** Where Ironic's API listens unless it is set up otherwise. */
export const defaultIronicPort = 6385;
/** Where ironic-inspector listens, which newer releases of Ironic do without. */
export const defaultInspectorPort = 5050;

const mdns = 'mdns';
const urlHint = 'give a URL such as https://192.0.2.1:6385';

/** Why a URL cannot be used: a sentence and what to do. Neither shows a user name or password. */
export interface UrlProblem {
  readonly message: string;
  readonly hint: string;
}

/** A base URL in its parts. */
export interface IronicUrl {
  readonly scheme: 'http' | 'https';
  readonly host: Exclude<Host, { kind: 'invalid' }>;
  readonly port?: number;
  /** With its first slash; may be empty. */
  readonly path: string;
}

/** What a host given alone is completed with. `flag` is where it was given, for messages. */
export interface HostTarget {
  readonly scheme: 'http' | 'https';
  readonly port: number;
  readonly flag: string;
}

/** The URL of a host that is given alone: a name, an IPv4 or an IPv6 address, the latter with or without brackets. */
export function ironicHostUrl(host: string, { scheme, port, flag }: HostTarget): string {
  const bracketed = host.startsWith('[') && host.endsWith(']');
  const parsed = parseHost(bracketed ? host.slice(1, -1) : host);
  if (parsed.kind === 'invalid' || (bracketed && parsed.kind !== 'ipv6')) throw hostError(host, flag);
  return formatIronicUrl({ scheme, host: parsed, port, path: '' });
}

function hostError(host: string, flag: string): UsageError {
  const asUrl = 'Give the whole URL with --api-url instead, such as https://192.0.2.1:6385';
  const problem = (what: string, hint: string): UsageError =>
    new UsageError(`${flag} needs a host name or address; ${what}`, { hint });
  if (host === '') return problem('it is empty', 'Give the name or address at which the hosts reach Ironic');
  if (host.includes('@')) return problem('this has a user name in it', 'Give the name or address alone');
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(host)) return problem('this is a URL', asUrl);
  if (/[\s,]/u.test(host))
    return problem('there is a blank or a comma in it', 'Give one; --api-url takes several');
  if (host.includes('/')) return problem('there is a path in it', asUrl);
  if (/^(\[[^\]]*\]|[^:]*):[0-9]*$/.test(host)) return problem('there is a port in it', asUrl);
  const parsed = parseHost(host.replaceAll(/^\[|\]$/g, ''));
  const why = parsed.kind === 'invalid' ? parsed.problem : 'brackets are for IPv6 addresses';
  return problem(
    `${JSON.stringify(host.slice(0, 300))} is none: ${why}`,
    'For example ironic.example.com or 192.0.2.1',
  );
}

export interface UrlSource {
  /** Where the text was given, for messages. */
  readonly flag: string;
  /** Added to URLs that have no port. */
  readonly defaultPort?: number;
}

/**
 * The URLs of a comma-separated list for `api_url`, trimmed, with lower-case schemes and the default port where one is
 * asked for; or `mdns` alone, with which the agent asks the network. Throws UsageError for the first that is unusable.
 */
export function checkApiUrls(text: string, source: UrlSource): readonly string[] {
  if (text.trim() === mdns) return [mdns];
  return text.split(',').map((item) => {
    const url = parseIronicUrl(item.trim());
    if ('message' in url) throw urlError(url, source.flag);
    const { port = source.defaultPort } = url;
    return formatIronicUrl({ ...url, ...(port === undefined ? {} : { port }) });
  });
}

/** The same for `inspection_callback_url`: its URLs are complete, so nothing is added to them. */
export function checkCallbackUrl(text: string, flag: string): readonly string[] {
  return checkApiUrls(text, { flag });
}

/** Where inspection data go, from the base URLs of ironic-inspector: with its port and path unless they are there. */
export function parseInspectorUrls(text: string, source: UrlSource): readonly string[] {
  return checkApiUrls(text, source).map((url) => {
    if (url === mdns) return url;
    if (/\/v1\/continue(?:_inspection)?$/.test(url)) return url;
    return `${url.replace(/\/+$/, '')}/v1/continue`;
  });
}

function urlError({ message, hint }: UrlProblem, flag: string): UsageError {
  return new UsageError(`${flag}: ${message}`, { hint });
}

/** The first problem in a list as the agent reads it, where blanks count; undefined where all URLs can be used. */
export function findUrlProblem(list: string): UrlProblem | undefined {
  if (list === mdns) return undefined;
  for (const item of list.split(',').filter((url) => url !== '')) {
    const problem = findBlankUrl([item]);
    if (problem !== undefined) return problem;
    const url = parseIronicUrl(item);
    if ('message' in url) return url;
  }
  return undefined;
}

/** A problem where one of the items has a blank around it, which a comma alone does not remove. */
export function findBlankUrl(items: readonly string[]): UrlProblem | undefined {
  if (items.every((item) => item.trim() === item)) return undefined;
  return {
    message: 'there is a blank beside a comma',
    hint: 'remove it: the agent takes it for a part of the URL',
  };
}

/** Takes a URL apart, or says what is wrong with it. */
export function parseIronicUrl(text: string): IronicUrl | UrlProblem {
  if (text === '') return { message: 'a URL is empty', hint: 'remove the extra comma, or give a URL' };
  if (text === mdns)
    return { message: '"mdns" stands beside URLs', hint: 'give either "mdns" alone or URLs' };
  // Control characters include line breaks and tabs.
  if (/[\s\p{Cc}]/u.test(text))
    return { message: 'there is a blank in the URL', hint: 'separate URLs by commas' };
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(.*)$/u.exec(text);
  if (parts === null) return withoutScheme(text);
  const [, scheme = '', authority = '', path = '', rest = ''] = parts;
  const lower = scheme.toLowerCase();
  if (lower !== 'http' && lower !== 'https') {
    return { message: `the agent does not speak ${JSON.stringify(scheme.slice(0, 20))}`, hint: urlHint };
  }
  if (authority.includes('@')) {
    return {
      message: 'there is a user name in the URL',
      hint: 'remove it: the agent talks to Ironic without one',
    };
  }
  if (rest !== '') return { message: 'there is a query or fragment in the URL', hint: 'remove it' };
  const place = parseAuthority(authority);
  return 'message' in place ? place : { scheme: lower, ...place, path };
}

function withoutScheme(text: string): UrlProblem {
  const shown = text.includes('@') ? '' : ` ${JSON.stringify(text.slice(0, 300))}`;
  const host = parseHost(text);
  const place = host.kind === 'invalid' ? undefined : `https://${formatUrlHost(host)}:${defaultIronicPort}`;
  const withPort = /^[A-Za-z0-9.-]+:[0-9]{1,5}$/.test(text) ? `https://${text}` : undefined;
  const example = withPort ?? place;
  return {
    message: `the URL${shown} does not start with http:// or https://`,
    hint: example === undefined ? urlHint : `Write ${example}`,
  };
}

function parseAuthority(authority: string): Pick<IronicUrl, 'host' | 'port'> | UrlProblem {
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]*))?$/u.exec(authority);
  if (parts === null) return unreadableAuthority(authority);
  const [, place = '', digits] = parts;
  const host = place.startsWith('[') ? parseBracketed(place.slice(1, -1)) : parseHost(place);
  if (host.kind === 'invalid') {
    const what =
      place === '' ? 'there is no host in the URL' : `the host of the URL is wrong: ${host.problem}`;
    return { message: what, hint: urlHint };
  }
  if (digits === undefined) return { host };
  const port = Number(digits);
  if (digits === '' || digits.length > 5 || port < 1 || port > 65535) {
    return { message: 'the port of the URL is not a number from 1 to 65535', hint: urlHint };
  }
  return { host, port };
}

function parseBracketed(text: string): Host {
  const zoned = text.includes('%') && !text.includes('%25');
  if (zoned) return { kind: 'invalid', problem: 'the "%" before a zone is written "%25" in a URL' };
  const host = parseHost(text.replace('%25', '%'));
  return host.kind === 'ipv6' ? host : { kind: 'invalid', problem: 'brackets are for IPv6 addresses' };
}

function unreadableAuthority(authority: string): UrlProblem {
  const host = parseHost(authority);
  if (host.kind === 'ipv6') {
    return { message: 'the IPv6 address in the URL has no brackets', hint: `write ${formatUrlHost(host)}` };
  }
  return { message: 'the host and port of the URL cannot be read', hint: urlHint };
}

/** The text of a URL. */
export function formatIronicUrl({ scheme, host, port, path }: IronicUrl): string {
  return `${scheme}://${formatUrlHost(host)}${port === undefined ? '' : `:${port}`}${path}`;
}
