/**
 * Probable mistakes in well-formed settings: the agent's container image, its credentials, and addresses that do not lead
 * to another machine. Possibly intended values are warnings. The lint of a config finds the same mistakes in the rendered
 * config; the agent's conf has separate checks (`confCheck.ts`).
 */

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
import { findLoginProblem, readCredentials } from './pullSecret.ts';
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

/** Rules of the lint that the setting breaks. */
const rules = {
  unpullable: { rule: 'agent-image-unpullable', severity: 'error' },
  issuer: { rule: 'agent-image-issuer', severity: 'warning' },
  source: { rule: 'agent-source-issuer', severity: 'error' },
  login: { rule: 'agent-secret-registry', severity: 'warning' },
} as const;

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

type Found = readonly [setting: SettingName, problem: Rule | '' | undefined];

export function checkSettings(settings: AgentSettings): readonly SettingRemark[] {
  const { agentImage, archive, pullSecret, registriesConf } = settings;
  const registries = registriesConf === undefined ? undefined : readRegistriesConf(registriesConf).registries;
  const found = [...findAddresses(settings, registries), ...findIssuers(settings, registries)];
  // An image from an archive needs neither registry nor credentials.
  if (archive === undefined) {
    if (settings.pullPolicy !== 'never') {
      const name = findShortNameProblem(agentImage, registries);
      const pull = findPullProblem(agentImage, registries);
      found.push(
        ['agent.image', name && { ...rules.unpullable, ...name }],
        ['agent.registriesConf', pull && { ...rules.unpullable, ...pull }],
      );
    }
    if (pullSecret !== undefined) {
      const problem = findLoginProblem(pullNames(agentImage, registries), readCredentials(pullSecret));
      found.push(['agent.pullSecret', problem && { ...rules.login, ...problem }]);
    }
  }
  return found.flatMap(([setting, problem]) => (problem ? [{ setting, problem }] : []));
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

function findExceptions({ http, https, noProxy }: AgentSettings['proxy']): Found[] {
  if (http === undefined && https === undefined) return [];
  return findIgnoredExceptions(noProxy).map((problem) => ['proxy.none', problem]);
}

/** Servers whose certificates the machine cannot verify: no public CA issues them, and no other CA is set. */
function findIssuers(settings: AgentSettings, registries?: Registries): Found[] {
  const { agentImage, archive, caCertificates, pullPolicy, verifyRegistryTls } = settings;
  if (caCertificates !== undefined) return [];
  const isVerified = archive === undefined && pullPolicy !== 'never' && verifyRegistryTls;
  const ofImage = isVerified ? findRegistryIssuer(agentImage, registries) : undefined;
  const ofArchive = archive?.url === undefined ? undefined : findSourceIssuer(archive.url);
  const caHint = 'add the CA certificate with --ca-file';
  return [
    [
      'agent.archiveUrl',
      ofArchive && { ...rules.source, message: ofArchive, hint: `${caHint}, or use http` },
    ],
    [
      'agent.image',
      ofImage && { ...rules.issuer, message: ofImage, hint: `${caHint}, or use --insecure-registry` },
    ],
  ];
}
