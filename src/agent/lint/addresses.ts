/** Lint of addresses that the ramdisk contacts: Ironic, registries, time servers, sources of contents, proxies. */

import { posix } from 'node:path';
import { isIpv4, parseHost } from '../../formats/hostName.ts';
import { readDefaults } from '../../formats/osloConfig.ts';
import { warningRule, type Issue } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';
import { findImageAddress, findRegistryAddress, isLocalName } from '../imageSource.ts';
import {
  type AddressProblem,
  findAddressProblem,
  findSourceIssuer,
  findUrlAddressProblem,
  urlHost,
} from '../machineAddress.ts';
import { readRegistriesConf } from '../registriesConf.ts';
import {
  chronyParts,
  effectiveSettings,
  type LintSubject,
  readInlineText,
  type UnitCommand,
  type UnitSetting,
} from './subject.ts';
import { broken } from './lintRule.ts';
import { agentPulls, listFiles as listRegistriesFiles } from './image.ts';
import type { Config, Resource } from '../../ignition/config.ts';
import { walkConfig } from '../../ignition/rules.ts';
import { configType } from '../../ignition/schema.ts';
import { newestVersion } from '../../ignition/versions.ts';
import { isMapping } from '../../formats/mapping.ts';
import { ifWellFormed } from '../../core/errors.ts';
import { splitEnvironmentLine } from '../../formats/systemdQuoting.ts';
import { confValues } from './conf.ts';
import { optionValues } from './podmanCommand.ts';

export const addressRules = {
  address: warningRule(
    'agent-address',
    'the address does not reach another machine',
    'use an address or name of the server that the host can reach over its network',
  ),
};

interface Found {
  /** Purpose of the address; empty if the path is sufficient. */
  readonly what: string;
  readonly path: Path;
  readonly problem: AddressProblem | undefined;
}

export function checkAddresses(subject: LintSubject): Issue[] {
  const found = [
    ...ofImages(subject),
    ...ofRegistries(subject),
    ...ofTimeServers(subject),
    ...ofProxies(subject),
    ...listResources(subject.config).map(({ path, resource: { source = '' } }) =>
      ofUrl('', source, [...path, 'source']),
    ),
  ];
  return found.flatMap(({ path, problem, what }) => {
    if (problem === undefined) return [];
    const start = what === '' ? '' : `${what}: `;
    return [broken(addressRules.address, path, { ...problem, message: start + problem.message })];
  });
}

function ofUrl(what: string, url: string, path: Path): Found {
  return { what, path, problem: /^(?:https?|tftp):/i.test(url) ? findUrlAddressProblem(url) : undefined };
}

function ofImages(subject: LintSubject): Found[] {
  return agentPulls(subject).flatMap(({ command: { podman, setting, unitName }, image }) => {
    if (podman.verb !== 'pull' && isLocalName(image)) return [];
    const problem = findImageAddress(image);
    return [{ what: `${unitName}: ${setting.name}=`, path: setting.path, problem }];
  });
}

function ofRegistries(subject: LintSubject): Found[] {
  return listRegistriesFiles(subject).flatMap(({ file, name, path }) => {
    const { registries } = readRegistriesConf(readInlineText(file.contents) ?? '');
    const place = { what: posix.basename(name), path: [...path, 'contents', 'source'] };
    const locations = (registries?.entries ?? []).flatMap(({ location, mirrors }) => [...mirrors, location]);
    return locations.map((location) => ({ ...place, problem: findRegistryAddress(location) }));
  });
}

const timeServer = /^[ \t]*(?:server|peer|pool)[ \t]+(\S+)/gm;

function ofTimeServers(subject: LintSubject): Found[] {
  const ofChrony = chronyParts(subject).flatMap(({ name, path, text }) =>
    [...text.matchAll(timeServer)].map(([, server = '']) => ({
      what: posix.basename(name),
      path,
      problem: findAddressProblem(parseHost(server)),
    })),
  );
  const ofConfs = subject.confs.map(({ file, name, path }) => {
    const conf = readDefaults(readInlineText(file.contents) ?? '');
    return {
      what: `${posix.basename(name)}: ntp_server`,
      path: [...path, 'contents', 'source'],
      problem: findAddressProblem(parseHost(conf.get('ntp_server') ?? '')),
    };
  });
  return [...ofChrony, ...ofConfs];
}

function ofProxies({ config, runs, units }: LintSubject): Found[] {
  const { httpProxy = '', httpsProxy = '' } = config.ignition?.proxy ?? {};
  const ofUnits = [...new Set(runs.map(({ unitName }) => unitName))].flatMap((unitName) => {
    const unit = units.find(({ name }) => name === unitName);
    const settings = effectiveSettings(unit?.settings ?? [], 'Environment');
    const [first] = settings;
    const variables = readEnvironment(settings);
    return ['http_proxy', 'https_proxy'].map((name) =>
      ofUrl(`${unitName}: ${name.toUpperCase()}`, variables.get(name) ?? '', first?.path ?? []),
    );
  });
  return [
    ofUrl('', httpProxy, ['ignition', 'proxy', 'httpProxy']),
    ofUrl('', httpsProxy, ['ignition', 'proxy', 'httpsProxy']),
    ...ofUnits,
  ];
}

export const sourceRules = {
  unverified: warningRule(
    'agent-source-unverified',
    'anyone on the network can change the data that Ignition fetches from this URL',
    'add the hash of the contents as "verification": {"hash": "sha512-…"}, or use https',
  ),
  issuer: warningRule(
    'agent-source-issuer',
    'no public CA issues certificates for the host in the URL, so Ignition rejects the certificate and the boot fails',
    'add the CA certificate to ignition.security.tls.certificateAuthorities (--ca-file), or use http and a hash',
  ),
};

interface Placed {
  readonly resource: Resource;
  readonly path: Path;
}

export function checkSources({ config }: LintSubject): Issue[] {
  const authorities = config.ignition?.security?.tls?.certificateAuthorities ?? [];
  return listResources(config).flatMap(({ path, resource }) => {
    const at = [...path, 'source'];
    const issuer = authorities.length === 0 ? findSourceIssuer(resource.source ?? '') : undefined;
    return [
      ...(isUnverified(resource) ? [broken(sourceRules.unverified, at)] : []),
      ...(issuer === undefined ? [] : [broken(sourceRules.issuer, at, issuer)]),
    ];
  });
}

function isUnverified({ source = '', verification }: Resource): boolean {
  return /^(?:http|tftp):/i.test(source) && !verification?.hash;
}

/** All contents that the config contains or that Ignition fetches for it. */
function listResources(config: Config): Placed[] {
  const found: Placed[] = [];
  walkConfig(config, configType(newestVersion), ({ path, type, value }) => {
    const isResource = typeof type === 'object' && type.name === 'Resource';
    if (isResource && isMapping(value)) found.push({ resource: value, path: [...path] });
  });
  return found;
}

export const unitProxyRules = {
  ironic: warningRule(
    'agent-proxy-ironic',
    'the agent uses the proxy to reach Ironic',
    'add the host of Ironic to NO_PROXY',
  ),
};

/** More URLs than a real agent has. */
const maxUrls = 32;

export function checkUnitProxy(subject: LintSubject): Issue[] {
  const urls = ['api_url', 'inspection_callback_url']
    .flatMap((option) => confValues(subject, option))
    .flatMap((value) => value.split(',', maxUrls))
    .flatMap((url) => (/^https?:\/\//.test(url) && URL.canParse(url) ? [new URL(url)] : []));
  return subject.runs.flatMap((run) => checkRun(run, subject, urls));
}

function checkRun(run: UnitCommand, { units }: LintSubject, urls: readonly URL[]): Issue[] {
  if (optionValues(run.podman, 'http-proxy').some(({ text }) => text === 'false')) return [];
  const settings = units.find(({ name }) => name === run.unitName)?.settings ?? [];
  const environment = readEnvironment(effectiveSettings(settings, 'Environment'));
  const direct = (environment.get('no_proxy') ?? '').split(',').map((entry) => entry.trim().toLowerCase());
  const detoured = urls.filter((url) => {
    const proxy = environment.get(`${url.protocol.slice(0, -1)}_proxy`);
    return proxy !== undefined && proxy !== '' && !isDirect(urlHost(url), direct);
  });
  const hosts = [...new Set(detoured.map((url) => urlHost(url)))];
  if (hosts.length === 0) return [];
  const message = `${run.unitName}: ${unitProxyRules.ironic.message} at ${hosts.slice(0, 5).join(', ')}`;
  return [broken(unitProxyRules.ironic, run.setting.path, { message })];
}

/** Keys are in lower case, because programs accept both cases. */
function readEnvironment(settings: readonly UnitSetting[]): ReadonlyMap<string, string> {
  const words = settings.flatMap(({ value }) => ifWellFormed(() => splitEnvironmentLine(value)) ?? []);
  return new Map(
    words.map(({ text }) => {
      const equals = text.indexOf('=');
      return [text.slice(0, Math.max(0, equals)).toLowerCase(), text.slice(equals + 1)] as const;
    }),
  );
}

/** Follows the Python library requests: networks for IPv4 addresses, suffixes for host names. */
function isDirect(host: string, entries: readonly string[]): boolean {
  return entries.some((entry) => {
    if (entry === '') return false;
    if (entry === '*' || entry === host || entry === `[${host}]`) return true;
    if (entry.includes('/')) return isInNetwork(host, entry);
    return !isIpv4(host) && !host.includes(':') && host.endsWith(`.${entry.replace(/^\*?\./, '')}`);
  });
}

function isInNetwork(host: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  // Other forms are not compared and count as direct if both are IPv6.
  if (!isIpv4(host) || !isIpv4(base)) return host.includes(':') && base.includes(':');
  const size = 2 ** (32 - Math.min(32, Number(bits)));
  return Math.floor(toNumber(host) / size) === Math.floor(toNumber(base) / size);
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
}
