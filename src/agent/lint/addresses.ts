/** Lint of addresses that the ramdisk contacts: Ironic, registries, time servers, sources of contents, proxies. */

import { posix } from 'node:path';
import { parseHost } from '../../formats/hostName.ts';
import { parseImageReference } from '../../formats/imageReference.ts';
import { urlHost } from '../../formats/url.ts';
import type { Rule } from '../../core/rule.ts';
import { registryHost } from '../imagePull.ts';
import { findAddressProblem, findUrlAddressProblem } from '../machineAddress.ts';
import { findInternalTlsHost } from '../../network/internalHost.ts';
import { findIgnoredExceptions, proxyOf, proxyReaders } from '../../network/noProxy.ts';
import {
  chronyParts,
  confUrls,
  confValues,
  effectiveSettings,
  type LintSubject,
  listResources,
} from './subject.ts';
import { agentPulls, registriesFiles } from './images.ts';
import { type LintFinding, lintFinding, rule, type Violation } from './lintRule.ts';
import { optionValues } from './podmanCommand.ts';

/** An address that the host contacts: where it is, and its problem. */
interface Address extends Pick<Violation, 'path' | 'place' | 'settingName'> {
  readonly problem: Rule | undefined;
}

export function checkAddresses(subject: LintSubject): LintFinding[] {
  const addresses: Address[] = [
    ...agentPulls(subject).flatMap((pull) => {
      const { name, path, unitName } = pull.command.setting;
      const parsed = parseImageReference(pull.image);
      const { registry } = parsed.ok ? parsed.reference : {};
      if (registry === undefined) return [];
      const problem = findAddressProblem(registryHost(registry));
      return [{ place: `${unitName}: ${name}=`, path, settingName: 'agent.image' as const, problem }];
    }),
    ...registriesFiles(subject).flatMap(({ conf, file }) => {
      const place = posix.basename(file.name);
      const locations = (conf?.registries?.entries ?? []).flatMap(({ location, mirrors }) => [
        ...mirrors.map((mirror) => mirror.location),
        location,
      ]);
      return locations.map((location) => ({
        path: file.source,
        place,
        settingName: 'agent.registriesConf' as const,
        problem: findAddressProblem(registryHost(location)),
      }));
    }),
    ...chronyServers(subject).map(({ host, name, path }) => ({
      place: posix.basename(name),
      path,
      settingName: 'host.ntpServers' as const,
      problem: findAddressProblem(parseHost(host)),
    })),
    ...ofProxies(subject),
    ...listResources(subject.config).map(({ path, resource: { source = '' } }) => ({
      path: [...path, 'source'],
      settingName: 'agent.archiveUrl' as const,
      problem: findUrlProblem(source),
    })),
  ];
  return addresses.flatMap(({ problem, ...where }) =>
    problem === undefined ? [] : lintFinding(problem, { ...where, message: problem.message }),
  );
}

function findUrlProblem(url = ''): Rule | undefined {
  return /^(?:https?|tftp):/i.test(url) ? findUrlAddressProblem(url) : undefined;
}

const TIME_SERVER = /^[ \t]*(?:server|peer|pool)[ \t]+(\S+)(?:[ \t]+(.*))?/gm;

/** UDP (RFC 5905). */
const NTP_PORT = 123;

function chronyServers(subject: LintSubject) {
  return chronyParts(subject).flatMap(({ name, path, text }) =>
    [...text.matchAll(TIME_SERVER)].map(([, host = '', options = '']) => {
      const port = Number(/\bport[ \t]+(\d{1,5})\b/.exec(options)?.[1] ?? NTP_PORT);
      return { name, path, host, port };
    }),
  );
}

/** The names or addresses in the configuration of chrony and in the conf of the agent. */
export function listTimeServers(subject: LintSubject) {
  const ofConfs = confValues(subject, 'ntp_server').map((host) => ({ host, port: NTP_PORT }));
  const ofChrony = chronyServers(subject).map(({ host, port }) => ({ host, port }));
  return [...ofChrony, ...ofConfs].filter(({ host }) => host !== '');
}

function ofProxies({ agentUnits, config }: LintSubject): Address[] {
  const schemes = ['http', 'https'] as const;
  const ofIgnition = schemes.map((scheme) => {
    const name = `${scheme}Proxy` as const;
    const problem = findUrlProblem(config.ignition?.proxy?.[name]);
    return { path: ['ignition', 'proxy', name], settingName: `proxy.${scheme}` as const, problem };
  });
  const ofUnits = agentUnits.flatMap((unit) => {
    const [first] = effectiveSettings(unit.settings, 'Environment');
    return schemes.map((scheme) => ({
      place: `${unit.name}: ${scheme.toUpperCase()}_PROXY`,
      path: first?.path ?? [],
      settingName: `proxy.${scheme}` as const,
      problem: findUrlProblem(unit.variables.get(`${scheme}_proxy`)),
    }));
  });
  return [...ofIgnition, ...ofUnits];
}

/** Also for configs that do not run the agent. */
export const sourceRules = [
  rule(
    'agent-source-issuer',
    'error',
    'add the CA certificate to ignition.security.tls.certificateAuthorities (--ca-file), or use http and a hash',
    function* ({ config }) {
      if ((config.ignition?.security?.tls?.certificateAuthorities ?? []).length > 0) return;
      for (const { path, resource } of listResources(config)) {
        const host = findInternalTlsHost(resource.source ?? '');
        if (host === undefined) continue;
        const message = `no public CA issues certificates for ${host}, so Ignition rejects the certificate and the boot does not continue`;
        yield { path: [...path, 'source'], message, settingName: 'agent.archiveUrl' };
      }
    },
  ),
];

export const agentProxyRules = [
  rule('agent-proxy-ironic', 'warning', 'add the host of Ironic to NO_PROXY', function* (subject) {
    const urls = [...confUrls(subject, 'api_url'), ...confUrls(subject, 'inspection_callback_url')];
    for (const { run, variables } of proxiedRuns(subject)) {
      const detoured = urls.filter((url) => proxyOf(url, variables, proxyReaders.requests) !== undefined);
      const hosts = [...new Set(detoured.map(urlHost))];
      if (hosts.length === 0) continue;
      const { path, unitName } = run.setting;
      const message = `the agent uses the proxy to reach Ironic at ${hosts.slice(0, 5).join(', ')}`;
      yield { path, place: unitName, message, settingName: 'proxy.none' };
    }
  }),
];

export function checkExceptions(subject: LintSubject): LintFinding[] {
  return proxiedRuns(subject).flatMap(({ run, variables }) => {
    if (!['http_proxy', 'https_proxy'].some((name) => (variables.get(name) ?? '') !== '')) return [];
    const { path, unitName } = run.setting;
    return findIgnoredExceptions(exceptionsOf(variables)).map((problem) => {
      const { message } = problem;
      return lintFinding(problem, { path, place: unitName, message, settingName: 'proxy.none' });
    });
  });
}

/** All commands of a unit have its variables: the first one that passes them to the agent. */
function proxiedRuns({ agentUnits }: LintSubject) {
  return agentUnits.flatMap((unit) => {
    const run = unit.runs.find(
      ({ podman }) => !optionValues(podman, 'http-proxy').some(({ text }) => text === 'false'),
    );
    return run === undefined ? [] : [{ run, variables: unit.variables }];
  });
}

function exceptionsOf(variables: ReadonlyMap<string, string>): readonly string[] {
  return (variables.get('no_proxy') ?? '').split(',');
}
