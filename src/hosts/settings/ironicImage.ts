/**
 * The environment of the containers of ironic-image. They get an address, from which its scripts derive URLs
 * (`wait_for_interface_or_ip` in scripts/ironic-common.sh, and scripts/tls-common.sh). A URL that is set has precedence.
 * Not supported: PROVISIONING_INTERFACE and PROVISIONING_MACS alone.
 */

import { quoteText } from '../../core/foreignText.ts';
import { statSync } from 'node:fs';
import { ironicHostUrl } from '../../agent/ironicUrl.ts';
import { type InputSource, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { formatAddress, parseAddress } from '../../network/ipAddress.ts';

type Environment = Io['env'];

/** In order of precedence. */
const addressVariables = ['IRONIC_URL_HOST', 'IRONIC_IP', 'PROVISIONING_IP'] as const;

/** Whether the source is a variable with an address instead of a URL. */
export function isIronicAddress({ name }: InputSource): boolean {
  return addressVariables.some((variable) => variable === name);
}

/** IRONIC_BASE_URL, for an address. @throws UsageError for an invalid address or scheme */
export function deriveIronicUrl(
  address: InputSource & { readonly text: string },
  port: number,
  env: Environment,
): string {
  return urlOf(address, readScheme(env), port);
}

/** IRONIC_HTTP_URL, under which ironic-image serves /shared/html; undefined without an address. @throws UsageError */
export function deriveHttpUrl(env: Environment): string | undefined {
  const given = env['IRONIC_HTTP_URL'] ?? '';
  if (given !== '') return given;
  const name = addressVariables.find((variable) => (env[variable] ?? '').trim() !== '');
  return name && urlOf({ name, text: env[name] ?? '' }, 'http', readHttpPort(env));
}

/** Like ipcalc in the scripts, removes the prefix length, and shortens IPv6 addresses. IRONIC_URL_HOST may be a name. */
function urlOf(
  { name, text }: InputSource & { readonly text: string },
  scheme: 'http' | 'https',
  port: number,
): string {
  const value = text.trim();
  if (name === 'IRONIC_URL_HOST') return ironicHostUrl(value, { scheme, port, flag: name });
  const address = parseAddress(value.replace(/\/\d{1,3}$/, ''));
  if (address !== undefined) return ironicHostUrl(formatAddress(address), { scheme, port, flag: name });
  throw new UsageError(`${name}: ${quoteText(text)} is not an IP address`, {
    hint: 'use an address such as 192.0.2.1 or fd00::1, or set IRONIC_BASE_URL to a URL',
  });
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
  const text = env['HTTP_PORT'] || '80';
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError('HTTP_PORT is not a valid port', { hint: 'use a number from 1 to 65535' });
}
