/**
 * The environment of the containers of ironic-image. They get an address, from which its scripts derive URLs
 * (`wait_for_interface_or_ip` in scripts/ironic-common.sh, scripts/configure-ironic.sh and scripts/tls-common.sh). A URL that
 * is set has precedence over an address, and an external address over that of the container, which machines may not reach.
 */

import { quoteText } from '../../core/foreignText.ts';
import { statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { ironicHostUrl } from '../../agent/ironicUrl.ts';
import { parsePort } from '../../agent/settingParsers.ts';
import { type InputSource, located, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { formatAddress, parseAddress } from '../../network/ipAddress.ts';

type Environment = Io['env'];

/** In order of precedence. The last two name an interface of this machine. */
const addressVariables = [
  'IRONIC_EXTERNAL_IP',
  'IRONIC_URL_HOST',
  'IRONIC_IP',
  'PROVISIONING_IP',
  'PROVISIONING_INTERFACE',
  'PROVISIONING_MACS',
] as const;

/** Whether the source is a variable with an address instead of a URL. */
export function isIronicAddress({ name }: InputSource): boolean {
  return addressVariables.some((variable) => variable === name);
}

/** Whether Ironic passes the URL of the source to agents unchanged, without a default port. */
export function isExternalUrl({ name }: InputSource): boolean {
  return name === 'IRONIC_EXTERNAL_CALLBACK_URL';
}

/** IRONIC_BASE_URL, for an address. @throws UsageError for an invalid address or scheme */
export function deriveIronicUrl(
  address: InputSource & { readonly text: string },
  port: number,
  env: Environment,
): string {
  return urlOf(address, readScheme(env), port);
}

/**
 * The URL under which machines read /shared/html; undefined without an address. The port of IRONIC_EXTERNAL_HTTP_URL that
 * the scripts derive for TLS is not used: it serves only images for BMCs. @throws UsageError
 */
export function deriveHttpUrl(env: Environment): string | undefined {
  const given = env['IRONIC_HTTP_URL'] || env['IRONIC_EXTERNAL_HTTP_URL'] || '';
  if (given !== '') return given;
  const name = addressVariables.find((variable) => (env[variable] ?? '').trim() !== '');
  // The interface may be that of another machine; most folders need no URL.
  if (name !== undefined && isInterface(name) && interfaceAddress(name, env[name] ?? '') === undefined) {
    return undefined;
  }
  return name && urlOf({ name, text: env[name] ?? '' }, 'http', readHttpPort(env));
}

/**
 * Like ipcalc in the scripts, removes the prefix length, and shortens IPv6 addresses. IRONIC_URL_HOST and IRONIC_EXTERNAL_IP
 * may be names.
 */
function urlOf(
  { name, text }: InputSource & { readonly text: string },
  scheme: 'http' | 'https',
  port: number,
): string {
  const value = text.trim();
  if (name === 'IRONIC_URL_HOST' || name === 'IRONIC_EXTERNAL_IP') {
    return ironicHostUrl(value, { scheme, port, flag: name });
  }
  const own = isInterface(name) ? interfaceAddress(name, value) : value.replace(/\/\d{1,3}$/, '');
  if (own === undefined) {
    throw new UsageError(`${name}: this machine has no address on ${quoteText(text)}`, {
      hint: 'set IRONIC_IP to the address of Ironic, such as 192.0.2.1',
    });
  }
  const address = parseAddress(own);
  if (address !== undefined) return ironicHostUrl(formatAddress(address), { scheme, port, flag: name });
  throw new UsageError(`${name}: ${quoteText(text)} is not an IP address`, {
    hint: 'use an address such as 192.0.2.1 or fd00::1, or set IRONIC_BASE_URL to a URL',
  });
}

function isInterface(variable: string): boolean {
  return variable === 'PROVISIONING_INTERFACE' || variable === 'PROVISIONING_MACS';
}

/** The first address that other machines can reach, of an interface by name, or by one of several MAC addresses. */
function interfaceAddress(variable: string, text: string): string | undefined {
  const known = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map((it) => ({ ...it, name })),
  );
  const candidates =
    variable === 'PROVISIONING_MACS'
      ? text.split(',').flatMap((mac) => known.filter((it) => it.mac === mac.trim().toLowerCase()))
      : known.filter(({ name }) => name === text.trim());
  return candidates.find(({ address, internal }) => !internal && !/^(?:fe80:|169\.254\.)/.test(address))
    ?.address;
}

function readScheme(env: Environment): 'http' | 'https' {
  const given = env['IRONIC_SCHEME'] ?? '';
  if (given === 'http' || given === 'https') return given;
  if (given !== '') {
    throw new UsageError(`invalid value ${quoteText(given)} for IRONIC_SCHEME`, {
      hint: 'use http or https',
    });
  }
  const files = ['/certs/ironic/tls.crt', env['IRONIC_CACERT_FILE'] || '/certs/ca/ironic/tls.crt'];
  return files.some((path) => statSync(path, { throwIfNoEntry: false })?.isFile()) ? 'https' : 'http';
}

function readHttpPort(env: Environment): number {
  return located({ subject: 'HTTP_PORT', code: 'ERR_USAGE' }, () => parsePort(env['HTTP_PORT'] || '80'));
}
