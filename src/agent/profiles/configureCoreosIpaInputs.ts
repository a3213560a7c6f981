/** Inputs as configure-coreos-ipa reads them. It checks nothing; what it makes invalid JSON or a broken unit of is refused. */

import { FormatError, UsageError } from '../../core/errors.ts';
import { formatIronicUrl, parseIronicUrl, type UrlSource } from '../ironicUrl.ts';

/** The script appends a port to a base URL that has none, so there is only one, and without a path. */
export function parseScriptUrl(text: string, { flag, defaultPort }: UrlSource): readonly string[] {
  const url = parseIronicUrl(text);
  if ('message' in url) throw new UsageError(`${flag}: ${url.message}`, { hint: url.hint });
  if (url.port !== undefined || url.path !== '') {
    throw new UsageError(`${flag}: configure-coreos-ipa appends the port, so the URL ends with its host`, {
      hint: 'give the port by IRONIC_ACCESS_PORT, or use the default profile',
    });
  }
  return [formatIronicUrl({ ...url, ...(defaultPort === undefined ? {} : { port: defaultPort }) })];
}

/** Flags for `podman pull`, as words; the script writes them into JSON and a unit as they are. */
export function parseScriptFlags(text: string): string[] {
  const special = /["'%$\\;\p{Cc}]/u.exec(text)?.[0];
  if (special === undefined) return text.split(' ').filter((word) => word !== '');
  throw new FormatError(
    `has a ${JSON.stringify(special)} in it, which the script writes into the unit as it is`,
    {
      hint: 'use the default profile, which writes it correctly',
    },
  );
}

/** The agent's option for VLANs as it is: `all`, interfaces, or empty for none. */
export function parseScriptVlans(text: string): string {
  if (!/[\p{Cc}]/u.test(text.trim())) return text.trim();
  throw new FormatError('has a control character in it', {
    hint: 'give all, or interfaces like eno1,eno2.100',
  });
}
