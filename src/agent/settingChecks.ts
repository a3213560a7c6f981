/**
 * Probable mistakes in well-formed settings: the agent's container image, its credentials, and addresses that do not lead
 * to another machine. Possibly intended values are warnings. The lint of a config finds the same mistakes in the rendered
 * config; the agent's conf has separate checks (`confCheck.ts`).
 */

import type { Problem } from '../core/finding.ts';
import { parseHost } from '../formats/hostName.ts';
import {
  findBareRegistry,
  findImageAddress,
  findRegistryAddress,
  findRegistryIssuer,
  findShortNameProblem,
  isLocalName,
  pullNames,
} from './imageSource.ts';
import {
  type AddressProblem,
  findAddressProblem,
  findSourceIssuer,
  findUrlAddressProblem,
} from './machineAddress.ts';
import { findEntryProblems, findMissingCredentials, readCredentials } from './pullSecret.ts';
import { type Registries, readRegistriesConf } from './registriesConf.ts';
import type { AgentSettings } from './settings.ts';
import type { SettingName } from './settingTable.ts';

export interface SettingRemark extends Problem {
  readonly setting: SettingName;
  /** The lint rule that reports the same mistake in a config. */
  readonly rule: string;
  /** `error`: the agent cannot run with the setting. */
  readonly severity: 'error' | 'warning';
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

export function checkSettings(settings: AgentSettings): readonly SettingRemark[] {
  const { archive, registriesConf } = settings;
  const registries = registriesConf === undefined ? undefined : readRegistriesConf(registriesConf).registries;
  return [
    ...checkAddresses(settings, registries),
    ...checkIssuers(settings, registries),
    // An image from an archive needs neither registry nor credentials.
    ...(archive === undefined
      ? [...checkImage(settings, registries), ...checkPullSecret(settings, registries)]
      : []),
  ];
}

function checkImage({ agentImage, pullPolicy }: AgentSettings, registries?: Registries): SettingRemark[] {
  const bare = findBareRegistry(agentImage);
  const short = pullPolicy === 'never' ? undefined : findShortNameProblem(agentImage, registries);
  const { hint, message } = bare ?? short ?? {};
  if (hint === undefined || message === undefined) return [];
  const rule = bare === undefined ? 'agent-image-unqualified' : 'agent-image-bare-registry';
  return [{ setting: 'agent.image', rule, severity: 'warning', message, hint }];
}

function checkPullSecret(
  { agentImage, pullSecret }: AgentSettings,
  registries?: Registries,
): SettingRemark[] {
  if (pullSecret === undefined) return [];
  const credentials = readCredentials(pullSecret);
  const names = pullNames(agentImage, registries);
  const missing = findMissingCredentials(names, credentials);
  const entries = findEntryProblems(credentials, names);
  return [
    ...entries.map((problem) => ({ rule: 'agent-secret-entry', ...problem })),
    ...(missing === undefined ? [] : [{ rule: 'agent-secret-registry', ...missing }]),
  ].map((problem) => ({ setting: 'agent.pullSecret', ...problem }));
}

type FoundAddress = readonly [setting: SettingName, problem: AddressProblem | undefined];

function checkAddresses(settings: AgentSettings, registries?: Registries): SettingRemark[] {
  const { agentImage, archive, ntpServers, profile, pullPolicy, proxy } = settings;
  // Profiles of upstream generators keep the behavior of those.
  const isOwn = profile === 'default' || profile === 'buildpy';
  const isPulled = pullPolicy === 'always' || (pullPolicy !== 'never' && !isLocalName(agentImage));
  const locations = (registries?.entries ?? []).flatMap(({ location, mirrors }) => [...mirrors, location]);
  const found: FoundAddress[] = [
    ['agent.image', isPulled ? findImageAddress(agentImage) : undefined],
    ...locations.map((location): FoundAddress => ['agent.registriesConf', findRegistryAddress(location)]),
    ...ntpServers.map((server): FoundAddress => ['host.ntpServers', findAddressProblem(parseHost(server))]),
    ['proxy.http', findUrlAddressProblem(proxy.http ?? '')],
    ['proxy.https', findUrlAddressProblem(proxy.https ?? '')],
    ['agent.archiveUrl', findUrlAddressProblem(archive?.url ?? '')],
  ];
  return found.flatMap(([setting, problem]) => {
    if (problem === undefined) return [];
    const { hint, isUnusable, message } = problem;
    const severity = isOwn && isUnusable ? 'error' : 'warning';
    return [{ setting, rule: 'agent-address', severity, message, hint }];
  });
}

/** Servers whose certificates the machine cannot verify: no public CA issues them, and no other CA is set. */
function checkIssuers(settings: AgentSettings, registries?: Registries): SettingRemark[] {
  const { agentImage, archive, caCertificates, pullPolicy, verifyRegistryTls } = settings;
  if (caCertificates !== undefined) return [];
  const ofArchive = findSourceIssuer(archive?.url ?? '');
  const isVerified = archive === undefined && pullPolicy !== 'never' && verifyRegistryTls;
  const ofImage = isVerified ? findRegistryIssuer(agentImage, registries) : undefined;
  const severity = 'warning';
  return [
    ...(ofArchive
      ? [{ setting: 'agent.archiveUrl', rule: 'agent-source-issuer', severity, ...ofArchive } as const]
      : []),
    ...(ofImage
      ? [{ setting: 'agent.image', rule: 'agent-image-issuer', severity, ...ofImage } as const]
      : []),
  ];
}
