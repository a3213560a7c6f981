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
  findUnmaintainedImage,
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

/** `isUnusable` counts if the problem has no severity of its own. */
type FoundProblem = Problem & Partial<Pick<SettingRemark, 'severity'> & Pick<AddressProblem, 'isUnusable'>>;

type Found = readonly [setting: SettingName, rule: string, problem: FoundProblem | undefined];

export function checkSettings(settings: AgentSettings): readonly SettingRemark[] {
  const { agentImage, archive, profile, pullSecret, registriesConf } = settings;
  const registries = registriesConf === undefined ? undefined : readRegistriesConf(registriesConf).registries;
  // Profiles of upstream generators keep the behavior of those.
  const isOwn = profile === 'default' || profile === 'buildpy';
  const found = [...findAddresses(settings, registries), ...findIssuers(settings, registries)];
  // An image from an archive needs neither registry nor credentials.
  if (archive === undefined) {
    found.push(...findImageProblems(settings, registries));
    if (pullSecret !== undefined) found.push(...findSecretProblems(agentImage, pullSecret, registries));
  }
  const remarks: SettingRemark[] = [];
  for (const [setting, rule, problem] of found) {
    if (problem === undefined) continue;
    const { hint, isUnusable = false, message } = problem;
    const { severity = isOwn && isUnusable ? 'error' : 'warning' } = problem;
    remarks.push({ setting, rule, severity, message, hint });
  }
  return remarks;
}

function findImageProblems({ agentImage, pullPolicy }: AgentSettings, registries?: Registries): Found[] {
  const bare = findBareRegistry(agentImage);
  const isShort = bare === undefined && pullPolicy !== 'never';
  const short = isShort ? findShortNameProblem(agentImage, registries) : undefined;
  return [
    ['agent.image', 'agent-image-bare-registry', bare],
    ['agent.image', 'agent-image-unqualified', short],
    ['agent.image', 'agent-image-unmaintained', findUnmaintainedImage(agentImage, registries)],
  ];
}

function findSecretProblems(agentImage: string, pullSecret: string, registries?: Registries): Found[] {
  const credentials = readCredentials(pullSecret);
  const names = pullNames(agentImage, registries);
  const entries = findEntryProblems(credentials, names);
  return [
    ...entries.map((problem): Found => ['agent.pullSecret', 'agent-secret-entry', problem]),
    ['agent.pullSecret', 'agent-secret-registry', findMissingCredentials(names, credentials)],
  ];
}

function findAddresses(settings: AgentSettings, registries?: Registries): Found[] {
  const { agentImage, archive, ntpServers, pullPolicy, proxy } = settings;
  const isPulled = pullPolicy === 'always' || (pullPolicy !== 'never' && !isLocalName(agentImage));
  const locations = (registries?.entries ?? []).flatMap(({ location, mirrors }) => [...mirrors, location]);
  const rule = 'agent-address';
  return [
    ['agent.image', rule, isPulled ? findImageAddress(agentImage) : undefined],
    ...locations.map((location): Found => ['agent.registriesConf', rule, findRegistryAddress(location)]),
    ...ntpServers.map((server): Found => ['host.ntpServers', rule, findAddressProblem(parseHost(server))]),
    ['proxy.http', rule, findUrlAddressProblem(proxy.http ?? '')],
    ['proxy.https', rule, findUrlAddressProblem(proxy.https ?? '')],
    ['agent.archiveUrl', rule, findUrlAddressProblem(archive?.url ?? '')],
  ];
}

/** Servers whose certificates the machine cannot verify: no public CA issues them, and no other CA is set. */
function findIssuers(settings: AgentSettings, registries?: Registries): Found[] {
  const { agentImage, archive, caCertificates, pullPolicy, verifyRegistryTls } = settings;
  if (caCertificates !== undefined) return [];
  const isVerified = archive === undefined && pullPolicy !== 'never' && verifyRegistryTls;
  const ofImage = isVerified ? findRegistryIssuer(agentImage, registries) : undefined;
  const ofArchive = archive?.url === undefined ? undefined : findSourceIssuer(archive.url);
  return [
    ['agent.archiveUrl', 'agent-source-issuer', ofArchive],
    ['agent.image', 'agent-image-issuer', ofImage],
  ];
}
