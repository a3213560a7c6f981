/**
 * Probable mistakes in well-formed settings: the agent's container image, its credentials, and addresses that do not lead
 * to another machine. Possibly intended values are warnings. The lint of a config finds the same mistakes in the rendered
 * config; the agent's conf has separate checks (`confCheck.ts`).
 */

import { append } from '../core/lists.ts';
import { parseHost } from '../formats/hostName.ts';
import {
  findImageAddress,
  findPullProblem,
  findRegistryAddress,
  findRegistryIssuer,
  findShortNameProblem,
  isLocalName,
} from './imageSource.ts';
import { findAddressProblem, findSourceIssuer, findUrlAddressProblem } from './machineAddress.ts';
import { pullNames } from './imagePull.ts';
import {
  findEntryProblems,
  findHelperProblems,
  findMissingCredentials,
  readCredentials,
} from './pullSecret.ts';
import { findIgnoredExceptions } from '../network/noProxy.ts';
import { type Registries, readRegistriesConf } from './registriesConf.ts';
import type { Rule } from '../core/rule.ts';
import type { AgentSettings } from './settings.ts';
import type { SettingName } from './settingTable.ts';

export interface SettingRemark {
  readonly setting: SettingName;
  /** Also reports the mistake in a config. */
  readonly problem: Rule;
}

/** Checks several configs; parts that equal the previous config are not checked again. */
export function createSettingCheck(): (settings: AgentSettings) => readonly SettingRemark[] {
  let last: { readonly key: string; readonly remarks: readonly SettingRemark[] } | undefined;
  return (settings) => {
    const { agentImage, archive, caCertificates, ntpServers, profile, proxy } = settings;
    const { pullPolicy, pullSecret, registriesConf, verifyRegistryTls } = settings;
    const key = JSON.stringify([
      [agentImage, archive, caCertificates, pullPolicy, profile],
      [ntpServers, proxy, pullSecret, registriesConf, verifyRegistryTls],
    ]);
    if (last?.key !== key) last = { key, remarks: checkSettings(settings) };
    return last.remarks;
  };
}

type Found = readonly [setting: SettingName, problem: Rule | undefined];

export function checkSettings(settings: AgentSettings): readonly SettingRemark[] {
  const { agentImage, archive, pullSecret, registriesConf } = settings;
  const registries = registriesConf === undefined ? undefined : readRegistriesConf(registriesConf).registries;
  const found = [...findAddresses(settings, registries), ...findIssuers(settings, registries)];
  // An image from an archive needs neither registry nor credentials.
  if (archive === undefined) {
    if (settings.pullPolicy !== 'never') {
      found.push(
        ['agent.image', findShortNameProblem(agentImage, registries)],
        ['agent.registriesConf', findPullProblem(agentImage, registries)],
      );
    }
    if (pullSecret !== undefined) append(found, findSecretProblems(agentImage, pullSecret, registries));
  }
  return found.flatMap(([setting, problem]) => (problem === undefined ? [] : [{ setting, problem }]));
}

function findSecretProblems(agentImage: string, pullSecret: string, registries?: Registries): Found[] {
  const credentials = readCredentials(pullSecret);
  const names = pullNames(agentImage, registries);
  const entries = findEntryProblems(credentials, names);
  const helpers = findHelperProblems(credentials, names, registries?.credentialHelpers);
  return [
    ...[...entries, ...helpers].map((problem): Found => ['agent.pullSecret', problem]),
    ['agent.pullSecret', findMissingCredentials(names, credentials)],
  ];
}

function findAddresses(settings: AgentSettings, registries?: Registries): Found[] {
  const { agentImage, archive, ntpServers, pullPolicy, proxy } = settings;
  const isPulled = pullPolicy === 'always' || (pullPolicy !== 'never' && !isLocalName(agentImage));
  const locations = (registries?.entries ?? []).flatMap(({ location, mirrors }) => [
    ...mirrors.map((mirror) => mirror.location),
    location,
  ]);
  return [
    ['agent.image', isPulled ? findImageAddress(agentImage) : undefined],
    ...locations.map((location): Found => ['agent.registriesConf', findRegistryAddress(location)]),
    ...ntpServers.map((server): Found => ['host.ntpServers', findAddressProblem(parseHost(server))]),
    ['proxy.http', findUrlAddressProblem(proxy.http ?? '')],
    ['proxy.https', findUrlAddressProblem(proxy.https ?? '')],
    ...findExceptions(proxy),
    ['agent.archiveUrl', findUrlAddressProblem(archive?.url ?? '')],
  ];
}

/** The list of hosts without a proxy also is for podman and Ignition, so a network of IPv6 may be intended. */
function findExceptions({ http, https, noProxy }: AgentSettings['proxy']): Found[] {
  if (http === undefined && https === undefined) return [];
  const warnings = findIgnoredExceptions(noProxy).filter(({ severity }) => severity !== 'info');
  return warnings.map((problem) => ['proxy.none', problem]);
}

/** Servers whose certificates the machine cannot verify: no public CA issues them, and no other CA is set. */
function findIssuers(settings: AgentSettings, registries?: Registries): Found[] {
  const { agentImage, archive, caCertificates, pullPolicy, verifyRegistryTls } = settings;
  if (caCertificates !== undefined) return [];
  const isVerified = archive === undefined && pullPolicy !== 'never' && verifyRegistryTls;
  const ofImage = isVerified ? findRegistryIssuer(agentImage, registries) : undefined;
  const ofArchive = archive?.url === undefined ? undefined : findSourceIssuer(archive.url);
  return [
    ['agent.archiveUrl', ofArchive],
    ['agent.image', ofImage],
  ];
}
