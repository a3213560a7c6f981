/** Addresses in the config at which the machine reaches no other machine. The agent's conf has a rule of its own. */

import { posix } from 'node:path';
import { parseHost } from '../../formats/hostName.ts';
import { readDefaults } from '../../formats/osloConfig.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';
import { findImageAddress, findRegistryAddress, isLocalName } from '../imageSource.ts';
import { type AddressProblem, findAddressProblem, findUrlAddressProblem } from '../machineAddress.ts';
import { readRegistriesConf } from '../registriesConf.ts';
import { broken, warning } from './lintRule.ts';
import { agentPulls } from './image.ts';
import { readEnvironment } from './proxy.ts';
import { listFiles as listRegistriesFiles } from './registries.ts';
import { listResources } from './sources.ts';
import { effectiveSettings, type LintSubject, readContents } from './subject.ts';

export const addressRules = {
  address: warning(
    'agent-address',
    'the machine cannot reach another machine at the address',
    'use an address or a name at which the machine reaches the server over its network',
  ),
};

interface Found {
  /** What the address is for; empty where the path says it. */
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
    return [
      broken(addressRules.address, path, { message: `${start}${problem.message}`, hint: problem.hint }),
    ];
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
    const bytes = readContents(file.contents ?? {});
    const { registries } = bytes === undefined ? {} : readRegistriesConf(Buffer.from(bytes).toString());
    const locations = (registries?.entries ?? []).flatMap(({ location, mirrors }) => [...mirrors, location]);
    const at = [...path, 'contents', 'source'];
    return locations.map((location) => ({
      what: posix.basename(name),
      path: at,
      problem: findRegistryAddress(location),
    }));
  });
}

const timeServer = /^[ \t]*(?:server|peer|pool)[ \t]+(\S+)/gm;

function ofTimeServers({ confs, files }: LintSubject): Found[] {
  const chrony = files.filter(({ name }) => /^\/etc\/chrony(?:\.conf$|\.d\/)/.test(name));
  const ofChrony = chrony.flatMap(({ file: { append = [], contents = {} }, name, path }) => {
    const resources = [
      { resource: contents, at: [...path, 'contents', 'source'] },
      ...append.map((resource, index) => ({ resource, at: [...path, 'append', index, 'source'] })),
    ];
    return resources.flatMap(({ at, resource }) => {
      const text = Buffer.from(readContents(resource) ?? []).toString();
      return [...text.matchAll(timeServer)].map(([, server = '']) => ({
        what: posix.basename(name),
        path: at,
        problem: findAddressProblem(parseHost(server)),
      }));
    });
  });
  const ofConfs = confs.map(({ file, name, path }) => {
    const conf = readDefaults(Buffer.from(readContents(file.contents ?? {}) ?? []).toString());
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
