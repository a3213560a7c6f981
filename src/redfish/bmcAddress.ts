/** Addresses of BMCs as Metal3 writes them, and the settings of Ironic for each scheme. */

import { unreplacedIn } from '../core/placeholders.ts';
import { formatUrlHost, parseHost, parseIpv6 } from '../formats/hostName.ts';
import { decodePercent } from '../formats/url.ts';

type BmcScheme = keyof typeof schemes;

interface AddressParts {
  /** IPv6 in brackets. */
  readonly host: string;
  readonly port?: number;
  /** Path of the system, with a leading slash and valid percent escapes; or empty. */
  readonly path: string;
  readonly decodedPath: string;
}

export interface BmcAddress extends AddressParts {
  readonly text: string;
  readonly scheme: BmcScheme;
  /** The part of the scheme after a plus (default: https). */
  readonly transport: 'http' | 'https';
  /** IPMI only. */
  readonly privilegeLevel?: string;
}

/** The settings of Ironic for a scheme. */
interface BmcKind {
  readonly driver: 'ipmi' | 'redfish' | 'idrac';
  readonly bootInterface: 'ipxe' | 'redfish-virtual-media' | 'idrac-redfish-virtual-media' | 'redfish-https';
}

const ipmi: BmcKind = { driver: 'ipmi', bootInterface: 'ipxe' };
const redfish: BmcKind = { driver: 'redfish', bootInterface: 'ipxe' };
const virtualMedia: BmcKind = { ...redfish, bootInterface: 'redfish-virtual-media' };

const schemes = {
  ipmi,
  libvirt: ipmi,
  redfish,
  'redfish-virtualmedia': virtualMedia,
  'redfish-uefihttp': { ...virtualMedia, bootInterface: 'redfish-https' },
  'ilo5-redfish': redfish,
  'ilo5-virtualmedia': virtualMedia,
  'idrac-redfish': { ...redfish, driver: 'idrac' },
  'idrac-virtualmedia': { ...virtualMedia, driver: 'idrac', bootInterface: 'idrac-redfish-virtual-media' },
} as const satisfies Record<string, BmcKind>;

/** Schemes that the operator of Metal3 has removed, because Ironic has no driver for them, with their replacements. */
const dropped: ReadonlyMap<string, string> = new Map([
  ['idrac', 'idrac-virtualmedia or idrac-redfish'],
  ['ilo4', 'ipmi, or redfish where the firmware supports it'],
  ['ilo4-virtualmedia', 'ipmi, or redfish where the firmware supports it'],
  ['ilo5', 'ilo5-virtualmedia or ilo5-redfish'],
  ['ibmc', 'redfish or redfish-virtualmedia'],
  ['irmc', 'redfish or redfish-virtualmedia'],
]);

export const bmcSchemes: readonly string[] = Object.keys(schemes);

export function bmcKind({ scheme }: BmcAddress): BmcKind {
  return schemes[scheme];
}

/**
 * The scheme of the address of a node of Ironic, and its settings: they have the driver of the node and, if a scheme has it, its boot
 * interface. Undefined for another driver.
 */
export function bmcSchemeOf(driver: unknown, bootInterface: unknown): readonly [string, BmcKind] | undefined {
  const ofDriver = Object.entries<BmcKind>(schemes).filter(([, kind]) => kind.driver === driver);
  return ofDriver.find(([, kind]) => kind.bootInterface === bootInterface) ?? ofDriver[0];
}

/** Why an address is invalid. Never quotes the address: it may contain a password. */
interface BmcProblem {
  readonly problem: string;
  readonly hint?: string;
}

export function parseBmcAddress(text: string): BmcAddress | BmcProblem {
  const unreplaced = unreplacedIn(text);
  if (unreplaced !== undefined) return { ...unreplaced, problem: `it ${unreplaced.problem}` };
  if (/[^!-~]/.test(text))
    return { problem: 'it contains whitespace or characters other than printable ASCII' };
  const { schemeText, rest } = splitScheme(text);
  if (rest === text && !isReadAlone(text)) {
    return { problem: 'a form without a scheme is not supported', hint: 'use ipmi://HOST:PORT' };
  }
  const [name = '', transport] = schemeText.split('+', 2);
  const problem = schemeProblem(name, schemeText);
  if (problem !== undefined || !isScheme(name)) return problem ?? { problem: 'its scheme is unknown' };
  const parts = parseParts(rest);
  if ('problem' in parts) return parts;
  const { query, ...address } = parts;
  if (isIpmi(name)) return ipmiAddress({ text, scheme: name, transport: 'https', ...address }, query);
  if (query !== '') return { problem: 'it has a query, which is not supported' };
  if (!isSystemPath(address.path)) {
    return {
      problem: 'its path is not that of a system',
      hint: 'use the path of the system: /redfish/v1/Systems/ID',
    };
  }
  return { text, scheme: name, transport: transport === 'http' ? 'http' : 'https', ...address };
}

/** Ironic and `boot` request the path as the system. Services may have other paths outside of the tree of the Redfish standard. */
function isSystemPath(path: string): boolean {
  return !/^\/redfish\/v1\/[^/]/i.test(path) || /^\/redfish\/v1\/Systems\/[^/]+\/?$/i.test(path);
}

/** `ipmi:HOST` and bare hosts are valid, too; their rest is the whole text. */
function splitScheme(text: string): { readonly schemeText: string; readonly rest: string } {
  const [, scheme, rest] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(text) ?? [];
  if (scheme !== undefined && rest !== undefined) return { schemeText: scheme.toLowerCase(), rest };
  const colon = text.indexOf(':');
  const before = text.slice(0, Math.max(0, colon)).toLowerCase();
  const isKnown = isScheme(before.split('+', 1)[0] ?? '');
  return isKnown ? { schemeText: before, rest: text.slice(colon + 1) } : { schemeText: 'ipmi', rest: text };
}

/** Go takes a name before a colon for a scheme, and brackets without a port for a path. */
function isReadAlone(text: string): boolean {
  return !text.includes(':') || /^(?:\d[^:?]*|\[[^\]]*\]):\d+$/.test(text);
}

function isScheme(name: string): name is BmcScheme {
  return Object.hasOwn(schemes, name);
}

function isIpmi(scheme: BmcScheme): boolean {
  return schemes[scheme].driver === 'ipmi';
}

function schemeProblem(name: string, schemeText: string): BmcProblem | undefined {
  const instead = dropped.get(name);
  if (instead !== undefined) {
    return { problem: `the scheme ${name} is no longer supported`, hint: `use ${instead}` };
  }
  if (!isScheme(name)) {
    const hint =
      name === 'http' || name === 'https'
        ? `use a scheme with the driver: redfish+${name}:// or redfish-virtualmedia+${name}://`
        : `use one of ${bmcSchemes.join(', ')}`;
    return { problem: 'its scheme is not a supported driver', hint };
  }
  const suffix = schemeText.slice(name.length);
  const isAllowed = suffix === '' || (!isIpmi(name) && (suffix === '+http' || suffix === '+https'));
  return isAllowed ? undefined : { problem: `${name} does not support this variant`, hint: `use ${name}://` };
}

function parseParts(rest: string): (AddressParts & { readonly query: string }) | BmcProblem {
  if (rest.includes('#')) return { problem: 'it has a fragment (#), which is not supported' };
  const [, authority = '', path = '', query = ''] = /^([^/?]*)([^?]*)\??(.*)$/.exec(rest) ?? [];
  if (authority.includes('@')) {
    return {
      problem: 'it contains a user',
      hint: 'move user and password to the Secret or the credentials file of the BMC',
    };
  }
  const [, bracketed, plain, portText] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([0-9]{1,5}))?$/.exec(authority) ?? [];
  if (bracketed === undefined && plain === undefined) return { problem: 'its host or port is invalid' };
  const host = bracketed === undefined ? parseHost(plain ?? '') : parseIpv6(bracketed);
  if (host === undefined) return { problem: 'the part in brackets is not an IPv6 address' };
  if ('zone' in host) return { problem: 'its IPv6 address has a zone, which is not supported' };
  if (host.kind === 'invalid') return { problem: `its host is invalid: ${host.problem}` };
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535))
    return { problem: 'its port is not between 1 and 65535' };
  const decodedPath = decodePercent(path);
  if (decodedPath === undefined) return { problem: 'its path contains an invalid percent escape' };
  return { host: formatUrlHost(host), ...(port !== undefined && { port }), path, decodedPath, query };
}

const privilegeLevels = ['ADMINISTRATOR', 'CALLBACK', 'OPERATOR', 'USER'];

function ipmiAddress(address: BmcAddress, query: string): BmcAddress | BmcProblem {
  if (address.path !== '' && address.path !== '/') return { problem: 'IPMI addresses do not support a path' };
  if (query === '') return address;
  const [, level] = /^privilegelevel=([A-Z]+)$/.exec(query) ?? [];
  if (level === undefined || !privilegeLevels.includes(level)) {
    return {
      problem: 'its query is invalid',
      hint: `use ?privilegelevel=${privilegeLevels.join(' or ')}`,
    };
  }
  return { ...address, privilegeLevel: level };
}
