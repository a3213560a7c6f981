/**
 * Addresses that do not lead to another machine: a loopback address is the booted machine itself, and routers do not
 * forward link-local ones. The address types are those of RFC 6890 and RFC 4291.
 */

import { type Host, parseHost } from '../formats/hostName.ts';
import { urlHost } from '../formats/url.ts';
import { lintError, lintWarning, type Rule } from '../core/rule.ts';
import { LOOPBACK_NAME } from '../network/internalHost.ts';
import { isInNetwork } from '../network/ipAddress.ts';

const HINT = 'use an address or name of the server that the host can reach over its network';

export const addressRules = {
  /** The address may be intended: a server may run on the machine itself, or on the same link. */
  address: lintWarning('agent-address', 'the address does not reach another machine', HINT),
  /** The address cannot work with any setup of network or machine. */
  unusable: lintError('agent-address-unusable', 'no machine can connect to the address', HINT),
};

const scopes = {
  loopback: { rule: addressRules.address, text: 'is the booted machine itself (loopback)' },
  linkLocal: { rule: addressRules.address, text: 'is link-local: no router forwards it' },
  zoneless: {
    rule: addressRules.unusable,
    text: 'is link-local and has no zone, so no machine can connect to it',
  },
  unspecified: { rule: addressRules.unusable, text: 'is an address to listen on, not to connect to' },
  group: { rule: addressRules.unusable, text: 'is not the address of a single machine' },
} as const;

/** The problem of a host as the target of a connection from the machine; undefined for other hosts. */
export function findAddressProblem(host: Host): Rule | undefined {
  const scope = scopeOf(host);
  if (scope === undefined || host.kind === 'invalid') return undefined;
  const { rule, text } = scopes[scope];
  const name = host.kind === 'name' ? host.name : host.address;
  return { ...rule, message: `${name} ${text}` };
}

/** Like `findAddressProblem`, for the host of a URL that `URL` can parse; undefined for other texts. */
export function findUrlAddressProblem(url: string): Rule | undefined {
  return URL.canParse(url) ? findAddressProblem(parseHost(urlHost(url))) : undefined;
}

function scopeOf(host: Host): keyof typeof scopes | undefined {
  if (host.kind === 'name') return LOOPBACK_NAME.test(host.name) ? 'loopback' : undefined;
  if (host.kind === 'invalid') return undefined;
  const [scope] = networks.find(([, ...own]) => own.some((it) => isInNetwork(host.address, it))) ?? [];
  return scope === 'zoneless' && host.kind === 'ipv6' && host.zone !== undefined ? undefined : scope;
}

const networks: readonly (readonly [scope: keyof typeof scopes, ...networks: readonly string[]])[] = [
  ['unspecified', '0.0.0.0/8', '::ffff:0.0.0.0/104', '::'],
  ['loopback', '127.0.0.0/8', '::ffff:127.0.0.0/104', '::1'],
  ['linkLocal', '169.254.0.0/16', '::ffff:169.254.0.0/112'],
  ['zoneless', 'fe80::/10'],
  ['group', '224.0.0.0/3', '::ffff:224.0.0.0/99', 'ff00::/8'],
];
