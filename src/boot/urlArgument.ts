/**
 * URLs of boot files, as the programs before the operating system read them: lower-case scheme, a host, an IPv6 address
 * in brackets. Stricter than the URL standard, which repairs what curl, Ignition and boot loaders refuse.
 */

import { errorRule, type Issue, warningRule } from '../ignition/rule.ts';

const urlScheme = errorRule(
  'boot-url-scheme',
  'the URL has a scheme that is not supported here',
  'use a URL with another scheme',
);
const urlHost = errorRule(
  'boot-url-host',
  'the URL has no valid host',
  'write scheme://host[:port]/path, and an IPv6 address in brackets: http://[2001:db8::1]/file',
);
export const urlCredentials = warningRule(
  'boot-url-credentials',
  'the URL holds credentials, and every program on the machine can read the kernel command line',
  'serve the file where no credentials are needed, or to the provisioning network only',
);
export const urlPlaintext = warningRule(
  'ignition-url-plaintext',
  'the Ignition config travels unencrypted, readable by everyone on the network',
  'use https if the config holds a pull secret or another secret, or embed it into the initramfs',
);

/** A URL in its parts, as they stand in the text. */
export interface BootUrl {
  readonly scheme: string;
  readonly credentials: boolean;
  /** With brackets where it is an IPv6 address. */
  readonly host: string;
  /** Empty when there is none. */
  readonly port: string;
  /** From the first slash on, with query; empty when there is none. */
  readonly path: string;
}

/** Takes a URL apart; undefined where it has no scheme or no usable host. */
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
 * Whether a text reaches the kernel unsplit: printable ASCII without blanks and double quotes. Bytes from 0x80 on do not,
 * as the kernel takes 0xA0 for a blank and EFI loaders convert them.
 */
export function isPlainText(text: string): boolean {
  return /^[!#-~]*$/.test(text);
}

/** Whether a URL can be fetched by a program that knows `schemes`. */
export function checkUrl(text: string, schemes: readonly string[]): Issue[] {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined || !schemes.includes(scheme)) return [wrongScheme(scheme, schemes)];
  const url = parseBootUrl(text);
  if (url === undefined) return [{ rule: urlHost, path: [] }];
  return url.credentials ? [{ rule: urlCredentials, path: [] }] : [];
}

function wrongScheme(scheme: string | undefined, schemes: readonly string[]): Issue {
  const message =
    scheme === undefined
      ? 'this is not a URL: it has no scheme'
      : `the URL scheme ${scheme} is not supported here`;
  return {
    rule: urlScheme,
    path: [],
    message,
    hint: `use ${schemes.map((name) => `${name}://`).join(', ')}`,
  };
}
