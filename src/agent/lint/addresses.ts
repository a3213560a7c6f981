/** Lint of addresses that the ramdisk contacts: Ironic, registries, time servers, sources of contents, proxies. */

import { posix } from 'node:path';
import { parseHost } from '../../formats/hostName.ts';
import { parseUrl, urlHost } from '../../formats/url.ts';
import { lintWarning, type Rule } from '../../core/rule.ts';
import type { Resource } from '../../ignition/config.ts';
import type { Path, Finding } from '../../core/finding.ts';
import { findImageAddress, findRegistryAddress, isLocalName } from '../imageSource.ts';
import { findAddressProblem, findSourceIssuer, findUrlAddressProblem } from '../machineAddress.ts';
import { findIgnoredExceptions, isExceptForPython } from '../../network/noProxy.ts';
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
} from './subject.ts';
import { agentPulls, listFiles as listRegistriesFiles } from './image.ts';
import { optionValues } from './podmanCommand.ts';

interface Found {
  /** Purpose of the address; undefined if the path is sufficient. */
  readonly about?: string;
  readonly path: Path;
  readonly problem: Rule | undefined;
}

export function checkAddresses(subject: LintSubject): Finding[] {
  const found: Found[] = [
    ...agentPulls(subject).flatMap(({ command: { podman, setting }, image }) => {
      if (podman.verb !== 'pull' && isLocalName(image)) return [];
      const about = `${setting.unitName}: ${setting.name}=`;
      return [{ about, path: setting.path, problem: findImageAddress(image) }];
    }),
    ...listRegistriesFiles(subject).flatMap((file) => {
      const { registries } = readRegistriesConf(textOf(file));
      const place = { about: posix.basename(file.name), path: file.source };
      const locations = (registries?.entries ?? []).flatMap(({ location, mirrors }) => [
        ...mirrors.map((mirror) => mirror.location),
        location,
      ]);
      return locations.map((location) => ({ ...place, problem: findRegistryAddress(location) }));
    }),
    ...listTimeServers(subject).map(({ host, ...place }) => ({
      ...place,
      problem: findAddressProblem(parseHost(host)),
    })),
    ...ofProxies(subject),
    ...listResources(subject.config).map(({ path, resource: { source = '' } }) => ({
      path: [...path, 'source'],
      problem: findUrlProblem(source),
    })),
  ];
  return found.flatMap(({ about, path, problem }) => {
    return problem === undefined ? [] : [broken(problem, path, { about })];
  });
}

function findUrlProblem(url = ''): Rule | undefined {
  return /^(?:https?|tftp):/i.test(url) ? findUrlAddressProblem(url) : undefined;
}

const TIME_SERVER = /^[ \t]*(?:server|peer|pool)[ \t]+(\S+)/gm;

interface TimeServer {
  readonly about: string;
  readonly path: Path;
  /** Name or address; empty for none. */
  readonly host: string;
}

/** The NTP servers of chrony and of the agent. */
export function listTimeServers(subject: LintSubject): TimeServer[] {
  const ofChrony = chronyParts(subject).flatMap(({ name, path, text }) =>
    [...text.matchAll(TIME_SERVER)].map(([, host = '']) => ({ about: posix.basename(name), path, host })),
  );
  const ofConfs = subject.confs.map(({ defaults, name, source }) => ({
    about: `${posix.basename(name)}: ntp_server`,
    path: source,
    host: defaults.get('ntp_server') ?? '',
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
export function readVariables(unit: LintedUnit): ReadonlyMap<string, string> {
  const known = variablesByUnit.get(unit);
  if (known !== undefined) return known;
  const words = effectiveSettings(unit.settings, 'Environment').flatMap(splitVariables);
  const variables = new Map(
    words.map(({ text }) => {
      const equals = text.indexOf('=');
      return [text.slice(0, Math.max(0, equals)).toLowerCase(), text.slice(equals + 1)] as const;
    }),
  );
  variablesByUnit.set(unit, variables);
  return variables;
}

const variablesByUnit = new WeakMap<LintedUnit, ReadonlyMap<string, string>>();

export const sourceRules = {
  unverified: lintWarning(
    'agent-source-unverified',
    'anyone on the network can change the data that Ignition fetches from this URL',
    'add the hash of the contents as "verification": {"hash": "sha512-…"}, or use https',
  ),
};

export function checkSources({ config }: LintSubject): Finding[] {
  const authorities = config.ignition?.security?.tls?.certificateAuthorities ?? [];
  return listResources(config).flatMap(({ path, resource }) => {
    const at = [...path, 'source'];
    const issuer = authorities.length === 0 ? findSourceIssuer(resource.source ?? '') : undefined;
    return [
      ...(isUnverified(resource) ? [broken(sourceRules.unverified, at)] : []),
      ...(issuer === undefined ? [] : [broken(issuer, at)]),
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
const MAX_URLS = 32;

export function checkUnitProxy(subject: LintSubject): Finding[] {
  const urls = ['api_url', 'inspection_callback_url']
    .flatMap((option) => confValues(subject, option))
    .flatMap((value) => value.split(',', MAX_URLS))
    .flatMap((url) => (/^https?:\/\//.test(url) ? (parseUrl(url) ?? []) : []));
  return subject.agentUnits.flatMap((unit) => checkProxy(unit, urls));
}

function hasProxy(variables: ReadonlyMap<string, string>): boolean {
  return ['http_proxy', 'https_proxy'].some((name) => (variables.get(name) ?? '') !== '');
}

/** All commands of a unit have its variables, so the first one that passes them to the agent is reported. */
function checkProxy(unit: LintedUnit, urls: readonly URL[]): Finding[] {
  const run = unit.runs.find(
    ({ podman }) => !optionValues(podman, 'http-proxy').some(({ text }) => text === 'false'),
  );
  if (run === undefined) return [];
  const { path, unitName } = run.setting;
  const variables = readVariables(unit);
  const exceptions = (variables.get('no_proxy') ?? '').split(',');
  const detoured = urls.filter((url) => {
    const proxy = variables.get(`${url.protocol.slice(0, -1)}_proxy`);
    return proxy !== undefined && proxy !== '' && !isExceptForPython(url, exceptions);
  });
  const ignored = hasProxy(variables) ? findIgnoredExceptions(exceptions) : [];
  const issues = ignored.map((problem) => broken(problem, path, { about: unitName }));
  const hosts = [...new Set(detoured.map(urlHost))];
  if (hosts.length === 0) return issues;
  const message = `${unitProxyRules.ironic.message} at ${hosts.slice(0, 5).join(', ')}`;
  return [...issues, broken(unitProxyRules.ironic, path, { about: unitName, message })];
}
