/** Where stream metadata is: at a base URL, as coreos-installer has it, or in a folder or file. */

import { UsageError } from '../../core/errors.ts';

/** The base URL of Fedora CoreOS. */
export const fedoraStreams = 'https://builds.coreos.fedoraproject.org/streams/';

/** A file that is not at a URL, or the URL. */
export type StreamSource =
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'path'; readonly path: string };

/**
 * A base URL loses its last part unless that ends in a slash, as URLs are joined. A path that ends in `.json` is the
 * metadata itself, any other a folder with `<stream>.json`.
 * @throws UsageError for names of streams that are none, and URLs of other kinds
 */
export function locateStream(base: string, stream: string): StreamSource {
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(stream)) {
    throw new UsageError(`no name of a stream: ${stream}`, { hint: 'use one like stable, testing or next' });
  }
  if (base === '') throw new UsageError('--stream-base-url is empty', { hint: 'give a URL or a path' });
  if (/^https?:\/\//i.test(base)) {
    if (!URL.canParse(base)) {
      throw new UsageError('--stream-base-url cannot be read', { hint: `write it like ${fedoraStreams}` });
    }
    return { kind: 'url', url: new URL(`${stream}.json`, base) };
  }
  const path = pathOf(base);
  return { kind: 'path', path: path.endsWith('.json') ? path : `${path.replace(/\/$/, '')}/${stream}.json` };
}

function pathOf(base: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(base)) return base;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url?.protocol !== 'file:' || url.host !== '') {
    throw new UsageError('--stream-base-url has to be an http://, https:// or file:// URL, or a path');
  }
  return decodeURIComponent(url.pathname);
}

/** Whether nobody on the way can have changed what these URLs gave: TLS, or this machine itself. */
export function isAuthentic(urls: readonly URL[]): boolean {
  return urls.every(({ protocol, hostname }) => protocol === 'https:' || isLoopback(hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
