/** Lint of addresses that the ramdisk contacts: Ironic, registries, time servers, sources of contents, proxies. */

import { posix } from 'node:path';
import { isIpv4, parseHost } from '../../formats/hostName.ts';
import { parseUrl, urlHost } from '../../formats/url.ts';
import { type Issue, lintWarning, type RuleProblem } from '../../ignition/rule.ts';
import type { Resource } from '../../ignition/config.ts';
import type { Path } from '../../core/finding.ts';
import { findImageAddress, findRegistryAddress, isLocalName } from '../imageSource.ts';
import { findAddressProblem, findSourceIssuer, findUrlAddressProblem } from '../machineAddress.ts';
import { readRegistriesConf } from '../registriesConf.ts';
import {
  broken,
  chronyParts,
  confValues,
  effectiveSettings,
  type LintedUnit,
  type LintSubject,
  listResources,
  splitVariables,
  textOf,
  type UnitCommand,
} from './subject.ts';
import { agentPulls, listFiles as listRegistriesFiles } from './image.ts';
import { optionValues } from './podmanCommand.ts';

interface Found {
  /** Purpose of the address; undefined if the path is sufficient. */
  readonly about?: string;
  readonly path: Path;
  readonly problem: RuleProblem | undefined;
}

export function checkAddresses(subject: LintSubject): Issue[] {
  const found: Found[] = [
    ...ofImages(subject),
    ...ofRegistries(subject),
    ...ofTimeServers(subject),
    ...ofProxies(subject),
    ...listResources(subject.config).map(({ path, resource: { source = '' } }) => ({
      path: [...path, 'source'],
      problem: findUrlProblem(source),
    })),
  ];
  return found.flatMap(({ about, path, problem }) => {
    return problem === undefined ? [] : [broken(problem.rule, path, { ...problem, about })];
  });
}

function findUrlProblem(url = ''): RuleProblem | undefined {
  return /^(?:https?|tftp):/i.test(url) ? findUrlAddressProblem(url) : undefined;
}

function ofImages(subject: LintSubject): Found[] {
  return agentPulls(subject).flatMap(({ command: { podman, setting }, image }) => {
    if (podman.verb !== 'pull' && isLocalName(image)) return [];
    const about = `${setting.unitName}: ${setting.name}=`;
    return [{ about, path: setting.path, problem: findImageAddress(image) }];
  });
}

function ofRegistries(subject: LintSubject): Found[] {
  return listRegistriesFiles(subject).flatMap((file) => {
    const { registries } = readRegistriesConf(textOf(file));
    const place = { about: posix.basename(file.name), path: file.source };
    const locations = (registries?.entries ?? []).flatMap(({ location, mirrors }) => [
      ...mirrors.map((mirror) => mirror.location),
      location,
    ]);
    return locations.map((location) => ({ ...place, problem: findRegistryAddress(location) }));
  });
}

const timeServer = /^[ \t]*(?:server|peer|pool)[ \t]+(\S+)/gm;

function ofTimeServers(subject: LintSubject): Found[] {
  const ofChrony = chronyParts(subject).flatMap(({ name, path, text }) =>
    [...text.matchAll(timeServer)].map(([, server = '']) => ({
      about: posix.basename(name),
      path,
      problem: findAddressProblem(parseHost(server)),
    })),
  );
  const ofConfs = subject.confs.map(({ defaults, name, source }) => ({
    about: `${posix.basename(name)}: ntp_server`,
    path: source,
    problem: findAddressProblem(parseHost(defaults.get('ntp_server') ?? '')),
  }));
  return [...ofChrony, ...ofConfs];
}

function ofProxies({ agentUnits, config }: LintSubject): Found[] {
  const { httpProxy, httpsProxy } = config.ignition?.proxy ?? {};
  const ofUnits = agentUnits.flatMap((unit) => {
    const [first] = effectiveSettings(unit.settings, 'Environment');
    const variables = readVariables(unit);
    return ['http_proxy', 'https_proxy'].map((name) => ({
      about: `${unit.name}: ${name.toUpperCase()}`,
      path: first?.path ?? [],
      problem: findUrlProblem(variables.get(name)),
    }));
  });
  return [
    { path: ['ignition', 'proxy', 'httpProxy'], problem: findUrlProblem(httpProxy) },
    { path: ['ignition', 'proxy', 'httpsProxy'], problem: findUrlProblem(httpsProxy) },
    ...ofUnits,
  ];
}

/** The variables of a unit; names are in lower case, because programs accept both cases. */
function readVariables({ settings }: LintedUnit): ReadonlyMap<string, string> {
  const words = effectiveSettings(settings, 'Environment').flatMap(splitVariables);
  return new Map(
    words.map(({ text }) => {
      const equals = text.indexOf('=');
      return [text.slice(0, Math.max(0, equals)).toLowerCase(), text.slice(equals + 1)] as const;
    }),
  );
}

export const sourceRules = {
  unverified: lintWarning(
    'agent-source-unverified',
    'anyone on the network can change the data that Ignition fetches from this URL',
    'add the hash of the contents as "verification": {"hash": "sha512-…"}, or use https',
  ),
};

export function checkSources({ config }: LintSubject): Issue[] {
  const authorities = config.ignition?.security?.tls?.certificateAuthorities ?? [];
  return listResources(config).flatMap(({ path, resource }) => {
    const at = [...path, 'source'];
    const issuer = authorities.length === 0 ? findSourceIssuer(resource.source ?? '') : undefined;
    return [
      ...(isUnverified(resource) ? [broken(sourceRules.unverified, at)] : []),
      ...(issuer === undefined ? [] : [broken(issuer.rule, at, issuer)]),
    ];
  });
}

function isUnverified({ source = '', verification }: Resource): boolean {
  return /^(?:http|tftp):/i.test(source) && !verification?.hash;
}

export const unitProxyRules = {
  ironic: lintWarning(
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
    .flatMap((url) => (/^https?:\/\//.test(url) ? (parseUrl(url) ?? []) : []));
  return subject.agentUnits.flatMap((unit) => unit.runs.flatMap((run) => checkRun(run, unit, urls)));
}

function checkRun({ podman, setting }: UnitCommand, unit: LintedUnit, urls: readonly URL[]): Issue[] {
  if (optionValues(podman, 'http-proxy').some(({ text }) => text === 'false')) return [];
  const { path, unitName } = setting;
  const variables = readVariables(unit);
  const direct = (variables.get('no_proxy') ?? '').split(',').map((entry) => entry.trim().toLowerCase());
  const detoured = urls.filter((url) => {
    const proxy = variables.get(`${url.protocol.slice(0, -1)}_proxy`);
    return proxy !== undefined && proxy !== '' && !isDirect(urlHost(url), direct);
  });
  const hosts = [...new Set(detoured.map(urlHost))];
  if (hosts.length === 0) return [];
  const message = `${unitProxyRules.ironic.message} at ${hosts.slice(0, 5).join(', ')}`;
  return [broken(unitProxyRules.ironic, path, { about: unitName, message })];
}

/** Follows the Python library requests: networks for IPv4 addresses, suffixes for host names; no wildcards in names. */
function isDirect(host: string, entries: readonly string[]): boolean {
  return entries.some((entry) => {
    if (entry === '') return false;
    if (entry === '*' || entry === host || entry === `[${host}]`) return true;
    if (entry.includes('/')) return isInNetwork(host, entry);
    return !isIpv4(host) && !host.includes(':') && host.endsWith(`.${entry.replace(/^\.+/, '')}`);
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
