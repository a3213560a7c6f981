/**
 * A host as Ironic and Metal3 are told about it: plain data, from options or from a list of hosts. What is in it has
 * been read by the parsers beside this file; references to Secrets are names, never the secrets themselves.
 */

import type { RootDevice } from './rootDeviceHints.ts';
import { formatUrlHost, parseHost, parseIpv6 } from '../../formats/hostName.ts';

export interface DeployHost {
  readonly name: string;
  /** MAC address of the interface that it boots from, as `parseMacAddress` gives it. */
  readonly bootMac?: string;
  /** As Ironic says it: `x86_64`, `aarch64`. */
  readonly architecture?: string;
  readonly bmc?: HostBmc;
  /** Empty where any disk will do. */
  readonly rootDevice: RootDevice;
}

/** The controller of a host; who may log in to it is said elsewhere. */
export interface HostBmc {
  readonly address: BmcAddress;
  /** The operator knows that its certificate cannot be verified. */
  readonly insecure: boolean;
}

type BmcScheme = keyof typeof schemes;

export interface BmcAddress {
  /** As it is given. */
  readonly text: string;
  readonly scheme: BmcScheme;
  /** What follows a plus: how to talk to the controller; https where it is left out. */
  readonly transport: 'http' | 'https';
  /** IPv6 in brackets. */
  readonly host: string;
  readonly port?: number;
  /** Of the system below the controller; with a leading slash, or empty. */
  readonly path: string;
  /** IPMI only. */
  readonly privilegeLevel?: string;
}

/** What Ironic does with an address of a scheme. */
interface BmcKind {
  readonly driver: 'ipmi' | 'redfish' | 'idrac';
  readonly bootInterface: 'ipxe' | 'redfish-virtual-media' | 'idrac-redfish-virtual-media' | 'redfish-https';
  /** Whether the operator needs the MAC address: always, only in its older releases, or never. */
  readonly mac: 'required' | 'older' | 'optional';
  readonly secureBoot: boolean;
}

const ipmi: BmcKind = { driver: 'ipmi', bootInterface: 'ipxe', mac: 'optional', secureBoot: false };
const redfish: BmcKind = { driver: 'redfish', bootInterface: 'ipxe', mac: 'optional', secureBoot: true };
const virtualMedia: BmcKind = { ...redfish, bootInterface: 'redfish-virtual-media', mac: 'older' };

const schemes = {
  ipmi,
  libvirt: { ...ipmi, mac: 'required' },
  redfish,
  'redfish-virtualmedia': virtualMedia,
  'redfish-uefihttp': { ...virtualMedia, bootInterface: 'redfish-https' },
  'ilo5-redfish': redfish,
  'ilo5-virtualmedia': virtualMedia,
  'idrac-redfish': { ...redfish, driver: 'idrac' },
  'idrac-virtualmedia': { ...virtualMedia, driver: 'idrac', bootInterface: 'idrac-redfish-virtual-media' },
} as const satisfies Record<string, BmcKind>;

/** Of drivers that Ironic has dropped, with what takes their place. */
const dropped: ReadonlyMap<string, string> = new Map([
  ['idrac', 'idrac-virtualmedia or idrac-redfish'],
  ['ilo4', 'ipmi, or redfish where the firmware has it'],
  ['ilo4-virtualmedia', 'ipmi, or redfish where the firmware has it'],
  ['ilo5', 'ilo5-virtualmedia or ilo5-redfish'],
  ['ibmc', 'redfish or redfish-virtualmedia'],
  ['irmc', 'redfish or redfish-virtualmedia'],
]);

export const bmcSchemes: readonly string[] = Object.keys(schemes);

export function bmcKind({ scheme }: BmcAddress): BmcKind {
  return schemes[scheme];
}

export function isVirtualMedia(address: BmcAddress): boolean {
  return bmcKind(address).bootInterface !== 'ipxe';
}

/** Why a text is no address, as a clause that never repeats it: it may hold a password. */
interface BmcProblem {
  readonly problem: string;
  readonly hint?: string;
}

/** Longer addresses are nobody's; the operator's own URLs are below a hundred characters. */
const maxLength = 2048;

export function parseBmcAddress(text: string): BmcAddress | BmcProblem {
  if (text.length > maxLength) return { problem: 'it is too long' };
  if (/[^!-~]/.test(text)) return { problem: 'it has white space or other than printable ASCII in it' };
  const { schemeText, rest } = splitScheme(text);
  const [name = '', transport] = schemeText.split('+', 2);
  const problem = schemeProblem(name, schemeText);
  if (problem !== undefined || !isScheme(name)) return problem ?? { problem: 'its scheme is unknown' };
  const parts = parseParts(rest);
  if ('problem' in parts) return parts;
  const { query, ...place } = parts;
  if (isIpmi(name)) return ipmiAddress({ text, scheme: name, transport: 'https', ...place }, query);
  if (query !== '') return { problem: 'it has a query, which nothing reads' };
  return { text, scheme: name, transport: transport === 'http' ? 'http' : 'https', ...place };
}

/** `ipmi:HOST` and bare hosts are allowed too; a host name may look like a scheme before its port. */
function splitScheme(text: string): { readonly schemeText: string; readonly rest: string } {
  const [, scheme, rest] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(text) ?? [];
  if (scheme !== undefined && rest !== undefined) return { schemeText: scheme.toLowerCase(), rest };
  const colon = text.indexOf(':');
  const before = text.slice(0, Math.max(0, colon)).toLowerCase();
  const isKnown = isScheme(before.split('+', 1)[0] ?? '');
  return isKnown ? { schemeText: before, rest: text.slice(colon + 1) } : { schemeText: 'ipmi', rest: text };
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
    return { problem: `Ironic no longer has a driver for ${name}`, hint: `use ${instead}` };
  }
  if (!isScheme(name)) return unknownScheme(name);
  const suffix = schemeText.slice(name.length);
  const isAllowed = suffix === '' || (!isIpmi(name) && (suffix === '+http' || suffix === '+https'));
  return isAllowed ? undefined : { problem: `${name} has no such variant`, hint: `use ${name}://` };
}

function unknownScheme(name: string): BmcProblem {
  const hint =
    name === 'http' || name === 'https'
      ? `the scheme names the driver: redfish+${name}:// or redfish-virtualmedia+${name}://`
      : `use one of ${bmcSchemes.join(', ')}`;
  return { problem: 'its scheme names no driver', hint };
}

type Parts = Pick<BmcAddress, 'host' | 'port' | 'path'> & { readonly query: string };

function parseParts(rest: string): Parts | BmcProblem {
  if (rest.includes('#')) return { problem: 'it has a fragment (#), which nothing reads' };
  const [, authority = '', path = '', query = ''] = /^([^/?]*)([^?]*)\??(.*)$/.exec(rest) ?? [];
  if (authority.includes('@')) {
    return { problem: 'it has a user in it', hint: 'user and password belong into the Secret of the BMC' };
  }
  const [, bracketed, plain, portText] =
    /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([0-9]{1,5}))?$/.exec(authority) ?? [];
  if (bracketed === undefined && plain === undefined) return { problem: 'its host or port cannot be read' };
  const host = bracketed === undefined ? parseHost(plain ?? '') : parseIpv6(bracketed);
  if (host === undefined) return { problem: 'what stands in brackets is not an IPv6 address' };
  if (host.kind === 'invalid') return { problem: `its host cannot be one: ${host.problem}` };
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535))
    return { problem: 'its port is not from 1 to 65535' };
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return { problem: 'its path has a percent sign without two digits' };
  return { host: formatUrlHost(host), ...(port !== undefined && { port }), path, query };
}

const privilegeLevels = ['ADMINISTRATOR', 'CALLBACK', 'OPERATOR', 'USER'];

function ipmiAddress(address: BmcAddress, query: string): BmcAddress | BmcProblem {
  if (address.path !== '' && address.path !== '/') return { problem: 'IPMI has no path' };
  if (query === '') return address;
  const [, level] = /^privilegelevel=([A-Z]+)$/.exec(query) ?? [];
  if (level === undefined || !privilegeLevels.includes(level)) {
    return {
      problem: 'its query is not understood',
      hint: `use ?privilegelevel=${privilegeLevels.join(' or ')}`,
    };
  }
  return { ...address, privilegeLevel: level };
}
