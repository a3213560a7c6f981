/** URLs as `URL` parses them: host and port of a URL, and addresses as they are written in one. */

/** Undefined for an invalid URL. Node 20 has no `URL.parse`. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
}

/** Whether a text has only characters of a URI (RFC 3986). `URL` would silently repair others. */
export function isUriText(text: string): boolean {
  return /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/.test(text);
}

/** The text without its percent escapes; undefined if one is invalid. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The port of an HTTP or HTTPS URL, or the default one of its scheme. */
export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

/** The host of a URL, without the brackets of an IPv6 address. */
export function urlHost(url: string | URL): string {
  return withoutBrackets(new URL(url).hostname);
}

export function withoutBrackets(host: string): string {
  return host.replaceAll(/^\[|\]$/g, '');
}

/** A name or an address as a URL contains it: IPv6 in brackets. */
export function withBrackets(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
