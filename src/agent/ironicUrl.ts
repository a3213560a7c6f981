/**
 * The URLs by which the agent reaches Ironic. The agent itself looks at little more than how the first one starts, so
 * all that it could not use is refused here. Left out on purpose: user names in URLs (they would end up in logs), queries
 * and fragments (the agent appends paths).
 */

import { UsageError } from '../core/errors.ts';
import { type Host, formatUrlHost, parseHost } from '../formats/hostName.ts';
import { type AddressProblem, findAddressProblem } from './machineAddress.ts';

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
interface IronicUrl {
  readonly scheme: 'http' | 'https';
  readonly host: Exclude<Host, { kind: 'invalid' }>;
  readonly port?: number;
  /** With its first slash; may be empty. */
  readonly path: string;
}

/** What a host given alone is completed with. `flag` is where it was given, for messages. */
interface HostTarget {
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
  /** The user chose `defaultPort`, so it is added to URLs with a path, too. */
  readonly isPortChosen?: boolean;
}

/**
 * The URLs of a comma-separated list for `api_url`, trimmed, with lower-case schemes; or `mdns` alone, with which the
 * agent asks the network. The default port is added where one is asked for, but not to a URL with a path: the catalogue of
 * a cloud names its endpoints so, on the port of the scheme. Throws UsageError for the first that is unusable.
 */
export function checkApiUrls(text: string, source: UrlSource): readonly string[] {
  return checkUrls(text, source.flag, findApiProblem).map((url) => formatWithPort(url, source));
}

/** The same for `inspection_callback_url`: its URLs are complete, so nothing is added to them. */
export function checkCallbackUrl(text: string, flag: string): readonly string[] {
  return checkUrls(text, flag, findHostProblem).map((url) => formatWithPort(url, { flag }));
}

/** Where inspection data go, from the base URLs of ironic-inspector: with its port and path unless they are there. */
export function parseInspectorUrls(text: string, source: UrlSource): readonly string[] {
  return checkUrls(text, source.flag, findInspectorProblem).map((url) => {
    if (url === mdns) return url;
    const base = formatWithPort(
      { ...url, path: url.path.replace(inspectionPath, '').replace(/\/+$/, '') },
      source,
    );
    return `${base}${inspectionPath.exec(url.path)?.[0] ?? '/v1/continue'}`;
  });
}

/** The path of ironic-inspector, or of Ironic's own inspection. */
const inspectionPath = /\/v1\/continue(?:_inspection)?$/;

type FindProblem = (url: IronicUrl) => UrlProblem | undefined;

function checkUrls(
  text: string,
  flag: string,
  findProblem: FindProblem,
): readonly (IronicUrl | typeof mdns)[] {
  if (text.trim() === mdns) return [mdns];
  return text.split(',').map((item) => {
    const url = parseIronicUrl(item.trim());
    if ('message' in url) throw urlError(url, flag);
    const problem = findProblem(url);
    if (problem !== undefined) throw urlError(problem, flag);
    return url;
  });
}

function formatWithPort(
  url: IronicUrl | typeof mdns,
  { defaultPort, isPortChosen = false }: UrlSource,
): string {
  if (url === mdns) return url;
  const isCompleted = isPortChosen || /^\/*$/.test(url.path);
  const { port = isCompleted ? defaultPort : undefined } = url;
  return formatIronicUrl({ ...url, ...(port === undefined ? {} : { port }) });
}

/** A URL of a list as `checkApiUrls` gives it that has a path and no port. */
export function findPortlessUrl(urls: readonly string[]): IronicUrl | undefined {
  return urls
    .flatMap((text) => {
      const url = parseIronicUrl(text);
      return 'message' in url ? [] : [url];
    })
    .find(({ path, port }) => port === undefined && path !== '');
}

/** Why the agent cannot use a URL as the base of Ironic's API; other setups of Ironic could not change that. */
function findApiProblem(url: IronicUrl): UrlProblem | undefined {
  return findHostProblem(url) ?? findVersionProblem(url);
}

function findInspectorProblem(url: IronicUrl): UrlProblem | undefined {
  return findHostProblem(url) ?? (inspectionPath.test(url.path) ? undefined : findVersionProblem(url));
}

function findHostProblem({ host }: IronicUrl): UrlProblem | undefined {
  const problem = findAddressProblem(host);
  return problem?.isUnusable === true ? problem : undefined;
}

/** Paths of Ironic's API, and of ironic-inspector's, that the agent asks for or that a user copies from elsewhere. */
const apiPath =
  /\/+v1(?:\/+(?:lookup|heartbeat|nodes|ports|drivers|conductors|allocations|continue|continue_inspection|introspection)(?:\/.*)?)?\/*$/;

function findVersionProblem(url: IronicUrl): UrlProblem | undefined {
  if (!apiPath.test(url.path)) return undefined;
  const base = formatIronicUrl({ ...url, path: url.path.replace(apiPath, '') });
  return { message: 'the URL has the path /v1, which is appended to it', hint: `write ${base}` };
}

/** A path at which no inspection data are taken; other services than Ironic may have any other path. */
function findCallbackProblem(url: IronicUrl): UrlProblem | undefined {
  if (!/^\/*$|\/v1\/*$/.test(url.path)) return undefined;
  const base = formatIronicUrl({ ...url, path: url.path.replace(/(?:\/+v1)?\/*$/, '') });
  return {
    message: 'the URL does not name the path at which inspection data are taken',
    hint: `write ${base}/v1/continue_inspection, or ${base}/v1/continue for ironic-inspector`,
  };
}

/** The first URL of a list whose host another machine cannot reach under that address, where that may be intended. */
export function findUrlListAddress(list: string): AddressProblem | undefined {
  for (const item of list.split(',')) {
    const url = parseIronicUrl(item);
    const problem = 'message' in url ? undefined : findAddressProblem(url.host);
    if (problem?.isUnusable === false) return problem;
  }
  return undefined;
}

/** What a URL of the agent's conf is for. */
type UrlOption = 'api_url' | 'inspection_callback_url';

const findOptionProblem: Readonly<Record<UrlOption, FindProblem>> = {
  api_url: findApiProblem,
  inspection_callback_url: (url) => findHostProblem(url) ?? findCallbackProblem(url),
};

function urlError({ message, hint }: UrlProblem, flag: string): UsageError {
  return new UsageError(`${flag}: ${message}`, { hint });
}

/** The first problem in a list as the agent reads it, where blanks count; undefined where all URLs can be used. */
export function findUrlProblem(list: string, option: UrlOption): UrlProblem | undefined {
  if (list === mdns) return undefined;
  for (const item of list.split(',').filter((url) => url !== '')) {
    const problem = findBlankUrl([item]);
    if (problem !== undefined) return problem;
    const url = parseIronicUrl(item);
    if ('message' in url) return url;
    const ofOption = findOptionProblem[option](url);
    if (ofOption !== undefined) return ofOption;
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
  const place = parseAuthority(authority, (host) => `${lower}://${host}${path}`);
  return 'message' in place ? place : { scheme: lower, ...place, path };
}

function withoutScheme(text: string): UrlProblem {
  const shown = text.includes('@') ? '' : ` ${JSON.stringify(text.slice(0, 300))}`;
  const host = parseHost(text);
  const completed = `https://${host.kind === 'invalid' ? text.replace(/^\/+/, '') : formatUrlHost(host)}`;
  return {
    message: `the URL${shown} does not start with http:// or https://`,
    hint: 'message' in parseIronicUrl(completed) ? urlHint : `write ${completed}`,
  };
}

/** The URL with another host, perhaps with a port. */
type WithHost = (host: string) => string;

function parseAuthority(
  authority: string,
  withHost: WithHost,
): Pick<IronicUrl, 'host' | 'port'> | UrlProblem {
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]*))?$/u.exec(authority);
  if (parts === null) return unreadableAuthority(authority, withHost);
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

function unreadableAuthority(authority: string, withHost: WithHost): UrlProblem {
  const candidates = ipv6Candidates(authority);
  if (candidates.length === 0) {
    return { message: 'the host and port of the URL cannot be read', hint: urlHint };
  }
  return {
    message: 'the IPv6 address in the URL has no brackets',
    hint: `write ${candidates.map(withHost).join(', or ')}`,
  };
}

/** What an IPv6 address without brackets may mean: the last part of it may be a port. */
function ipv6Candidates(authority: string): string[] {
  const [, address = '', port = ''] = /^(.*):([1-9][0-9]{1,4})$/.exec(authority) ?? [];
  const withPort = parseHost(address);
  const whole = parseHost(authority);
  return [
    ...(withPort.kind === 'ipv6' && Number(port) <= 65535 ? [`${formatUrlHost(withPort)}:${port}`] : []),
    ...(whole.kind === 'ipv6' ? [formatUrlHost(whole)] : []),
  ];
}

/** The text of a URL. */
export function formatIronicUrl({ scheme, host, port, path }: IronicUrl): string {
  return `${scheme}://${formatUrlHost(host)}${port === undefined ? '' : `:${port}`}${path}`;
}
