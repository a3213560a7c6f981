/**
 * URLs of boot files as boot loaders read them: lower-case scheme, a host, an IPv6 address in brackets. The checks are stricter
 * than the URL standard, which repairs URLs that curl, Ignition and boot loaders refuse.
 */

import { parseHost } from '../formats/hostName.ts';
import { withoutBrackets } from '../formats/url.ts';
import { findInternalTlsHost, isInternalHost } from '../network/internalHost.ts';
import { lintErrors, lintWarnings, type Rule } from '../core/rule.ts';

export const urlArgumentRules = {
  ...lintErrors({
    'boot-url-scheme': ['the URL has an unsupported scheme', 'use a URL with another scheme'],
    'boot-url-host': [
      'the URL has no valid host',
      'use scheme://host[:port]/path, with an IPv6 address in brackets: http://[2001:db8::1]/file',
    ],
  }),
  ...lintWarnings({
    'boot-url-credentials': [
      'the URL contains credentials, and every program on the machine can read the kernel command line',
      'serve the file without credentials, for example only to the provisioning network',
    ],
    'ignition-url-plaintext': [
      'the Ignition config is sent unencrypted, so anyone on the network can read it',
      'use https if the config contains a pull secret or another secret, or embed the config in the initramfs',
    ],
    'ignition-url-issuer': [
      'no public CA issues certificates for the host in the URL, and Ignition trusts no other CA at this point',
      'embed the config in the initramfs, or use a name with the certificate of a public CA',
    ],
    'boot-url-slashes': [
      'the path of the URL contains //, which is another path than / for many servers',
      'write one slash',
    ],
  }),
};

export interface BootUrl {
  readonly scheme: string;
  readonly credentials: boolean;
  /** An IPv6 address has brackets. */
  readonly host: string;
  /** Empty if it is not set. */
  readonly port: string;
  /** Path and query, from the first slash; empty if it is not set. */
  readonly path: string;
}

/** Parses a URL; undefined if it has no scheme or no valid host. */
export function parseBootUrl(text: string): BootUrl | undefined {
  const match =
    /^([a-z][a-z0-9+.-]*):\/\/(?:([^/?#@]*)@)?(\[[0-9a-fA-F:.]+\]|[^/?#@:[\]]+)(?::(\d{1,5}))?($|[/?#].*$)/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, scheme = '', credentials, host = '', port = '', path = ''] = match;
  if (Number(port) > 65_535 || !URL.canParse(`http://${host}/`)) return undefined;
  return { scheme, credentials: credentials !== undefined, host, port, path };
}

/**
 * Whether the kernel gets a text unchanged as one argument: printable ASCII without spaces and double quotes. Bytes above 0x7F
 * are refused, because the kernel treats 0xA0 as a space, and EFI loaders convert them.
 */
export function isPlainText(text: string): boolean {
  return /^[!#-~]*$/.test(text);
}

export function checkUrl(text: string, schemes: readonly string[]): readonly Rule[] {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined || !schemes.includes(scheme)) return [unsupportedScheme(scheme, schemes)];
  const url = parseBootUrl(text);
  if (url === undefined) return [urlArgumentRules['boot-url-host']];
  const isObject = scheme === 's3' || scheme === 'gs'; // any text names an object
  return [
    ...(url.credentials ? [urlArgumentRules['boot-url-credentials']] : []),
    ...(!isObject && url.path.replace(/[?#].*$/, '').includes('//')
      ? [urlArgumentRules['boot-url-slashes']]
      : []),
  ];
}

/** Whether Ignition can verify the certificate of the server of a config, whose own CA certificates it does not know yet. */
export function checkIssuer(text: string): readonly Rule[] {
  const host = findInternalTlsHost(text);
  if (host === undefined) return [];
  const message = `no public CA issues certificates for ${host}, and Ignition trusts no other CA at this point`;
  return [{ ...urlArgumentRules['ignition-url-issuer'], message }];
}

/** Whether others on the network can read the config, which may contain secrets. */
export function checkPrivacy(text: string): readonly Rule[] {
  const url = parseBootUrl(text);
  if (url?.scheme !== 'http' && url?.scheme !== 'tftp') return [];
  const hint = 'embed the config in the initramfs if it contains a pull secret or another secret';
  return [
    {
      ...urlArgumentRules['ignition-url-plaintext'],
      ...(isInternalHost(parseHost(withoutBrackets(url.host))) && { hint }),
    },
  ];
}

function unsupportedScheme(scheme: string | undefined, schemes: readonly string[]): Rule {
  const message =
    scheme === undefined ? 'not a URL: the scheme is missing' : `unsupported URL scheme ${scheme}`;
  return {
    ...urlArgumentRules['boot-url-scheme'],
    message,
    hint: `use ${schemes.map((name) => `${name}://`).join(', ')}`,
  };
}
