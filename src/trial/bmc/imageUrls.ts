/** The addresses at which this machine serves images, and their URLs for the BMCs. */

import { parseUrl, withBrackets } from '../../formats/url.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { parseListenAddress } from '../../http/server/listenAddress.ts';
import { localAddressTo } from '../../io/localAddress.ts';
import type { TrialOptions } from '../options.ts';
import type { Target } from './targets.ts';

function remoteIso(iso: string | undefined): URL | undefined {
  return iso !== undefined && isRemote(iso) ? parseUrl(iso) : undefined;
}

export type ImageServer = Readonly<Awaited<ReturnType<typeof findImageServer>>>;

/**
 * Without other addresses, everything is served on the address from which this machine reaches the BMCs: no other network
 * sees it, and the BMCs can reach it. If it reaches them from several addresses, for example BMCs with IPv4 and BMCs with
 * IPv6, it is served on all.
 * @param iso without an inventory: a path or a URL
 */
export async function findImageServer(
  targets: readonly Target[],
  iso: string | undefined,
  options: TrialOptions,
) {
  const found = await Promise.all(
    targets.map(async (target) => [target, await localAddressTo(new URL(target.origin))] as const),
  );
  /** By target: the address from which this machine reaches its BMC, without brackets. Without BMCs that are not reached. */
  const addresses: ReadonlyMap<Target, string> = new Map(
    found.flatMap(([target, address]) => (address === undefined ? [] : [[target, address]])),
  );
  const [address = '127.0.0.1', ...others] = new Set(addresses.values());
  const host = others.length > 0 ? '' : withBrackets(address);
  const { listen = `${host}:6385`, serveListen = `${host}:8084` } = options;
  return { iso, addresses, options: { ...options, listen, serveListen } };
}

/**
 * The URL of an image for a BMC. Without `--public-url`, a server on all addresses is named by the address from which this
 * machine reaches the BMC, so a BMC with only IPv6 gets an IPv6 address.
 */
export function urlFor(
  target: Target,
  url: string,
  { addresses, iso, options: { publicUrl, serveListen } }: ImageServer,
): string {
  const address = addresses.get(target);
  const isNamed = publicUrl !== undefined || remoteIso(iso) !== undefined;
  if (isNamed || address === undefined || !isAnyAddress(serveListen)) return url;
  return url.replace('//localhost', `//${withBrackets(address.replace(/%.*$/, ''))}`);
}

/** Whether it is all addresses of the machine: `:8084`, `0.0.0.0:8084` or `[::]:8084`. */
function isAnyAddress(text: string): boolean {
  const listen = parseListenAddress(text);
  return listen.kind === 'tcp' && listen.host === undefined;
}

/** The URL of the image; of one that this machine serves, only the origin. */
export function expectedUrl(target: Target, server: ImageServer): URL | undefined {
  const { publicUrl, serveListen } = server.options;
  const remote = remoteIso(server.iso);
  if (remote !== undefined) return remote;
  const host = isAnyAddress(serveListen) ? serveListen.replace(/^.*:/, 'localhost:') : serveListen;
  const url = parseUrl(publicUrl ?? urlFor(target, `http://${host}`, server));
  return url && new URL('/', url);
}
