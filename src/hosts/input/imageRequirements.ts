/** Whether an image contains what its config requires: the agent archive, an Ignition that reads it, a network for the initramfs. */

import type { Finding } from '../../core/finding.ts';
import {
  archiveMemory,
  chooseArchivedImage,
  type DeployedArchive,
  findDeployedArchive,
} from '../../agent/agentArchive.ts';
import { FormatError } from '../../core/errors.ts';
import { readContainerArchive } from '../../formats/containerArchive.ts';
import type { Config } from '../../ignition/config.ts';
import type { EffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { ignitionRelease, newestSpecOf } from '../../image/ignitionSpec.ts';
import { isSince } from '../../ignition/versions.ts';
import { sourceOfImage } from '../../image/initrd.ts';
import { embedsKeyfiles, issueOf } from '../../image/inspection/imageChecks.ts';
import { archiveProblems, imageRules } from '../../image/inspection/imageRules.ts';
import type { MemoryPart } from '../../image/inspection/memoryNeed.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { type RandomAccess, slice } from '../../image/overlay.ts';
import { referenceName } from './checkInlined.ts';
import type { ImageInput } from './imageSource.ts';
import { keyfilesOf } from '../../agent/hostNetwork.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import type { KernelArgument } from '../../kargs/argument.ts';
import { isNetworkArgument } from '../../kargs/connections.ts';
import { readConnections } from '../../network/keyfile/readKeyfile.ts';
import { isStatic } from '../../network/reachability.ts';

/**
 * `present`: the ISO contains the archive, and its digest matches. `mismatch`: the ISO contains a different file
 * with that name. `unchecked`: the archive is fetched, the ISO is unknown, or reading it would take too long.
 */
export type ArchiveState = 'present' | 'missing' | 'mismatch' | 'unchecked';

export interface InspectedArchive extends DeployedArchive {
  readonly state: ArchiveState;
  /** Bytes, if it is on the ISO. */
  readonly size?: number;
  /** Memory that it needs on a host, if it was read. */
  readonly memory: readonly MemoryPart[];
  readonly issues: readonly Finding[];
}

/**
 * Undefined if the config loads no archive.
 * @param source the image that contains the config
 * @param isLocal whether the image is a local file, so that reading a few hundred megabytes is fast
 */
export async function inspectAgentArchive(
  config: Config,
  { image, kind }: ImageInput,
  isLocal: boolean,
): Promise<InspectedArchive | undefined> {
  const deployed = findDeployedArchive(config);
  if (deployed === undefined) return undefined;
  const nothing = { ...deployed, memory: [], issues: [] };
  // A config without an image may be for any ISO.
  if (deployed.url !== undefined || kind === 'other') return { ...nothing, state: 'unchecked' };
  const entry = kind === 'iso' ? await (await openIsoTree(image)).find(`coreos/${deployed.name}`) : undefined;
  if (entry?.kind !== 'file')
    return { ...nothing, state: 'missing', issues: [issueOf(archiveProblems.missing)] };
  const { offset, size } = entry;
  if (!isLocal) return { ...nothing, state: 'unchecked', size };
  return { ...deployed, size, ...(await checkFile(deployed, slice(image, { offset, length: size }))) };
}

async function checkFile(
  { image, sha512 }: DeployedArchive,
  file: RandomAccess,
): Promise<Pick<InspectedArchive, 'state' | 'memory' | 'issues'>> {
  try {
    const content = await readContainerArchive(sourceOfImage(file));
    if (content.sha512 !== sha512)
      return { state: 'mismatch', memory: [], issues: [issueOf(archiveProblems.other)] };
    const memory = archiveMemory(content, chooseArchivedImage(content, image).image, {});
    return { state: 'present', memory, issues: [] };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const issue = issueOf(archiveProblems.unreadable, `it ${error.message}`);
    return { state: 'mismatch', memory: [], issues: [issue] };
  }
}

/** The arguments with which the live system does not see the archive of the config on the medium. */
export function checkMounted(kargs: readonly KernelArgument[], config: Config): Finding[] {
  const { name } = coreosArguments.fromRam;
  const argument = kargs.find((one) => one.name === name);
  if (argument === undefined) return [];
  const archive = findDeployedArchive(config);
  if (archive === undefined || archive.url !== undefined) return [];
  const message = `with ${name} the live system unmounts the medium with the agent archive: the agent does not start`;
  const hint = `omit ${argument.text}; on an ISO that has it, use \`iso kargs modify -d ${argument.text}\``;
  return [{ ...archiveProblems.missing, path: [], message, hint }];
}

/** A config, and the configs that it inlines, with spec versions that the Ignition of the build cannot read. */
export function checkSpecVersions(
  { inlined, version }: EffectiveConfig,
  build: string | undefined,
): Finding[] {
  const newest = build === undefined ? undefined : newestSpecOf(build);
  if (newest === undefined) return [];
  const { specUnsupported: rule } = imageRules;
  const configs = [
    { name: 'the config', version },
    ...inlined.flatMap(({ place, read }) =>
      read.status === 'read' ? [{ name: referenceName(place), version: read.version }] : [],
    ),
  ];
  return configs
    .filter((config) => config.version !== newest && isSince(config.version, newest))
    .map((config) => {
      const release = ignitionRelease(config.version);
      return {
        ...rule,
        path: ['ignition', 'version'],
        message: `${rule.message}: ${config.name} has version ${config.version}, which requires Ignition ${release}; ${build} is older`,
        hint: `use a newer image, or translate the config: \`ironic-coreos ignition translate --to ${newest}\``,
      };
    });
}

/** An issue if the initramfs, which must fetch the root filesystem, has no network, because only the config contains it. */
export function checkInitramfsNetwork(
  config: Config,
  kargs: readonly KernelArgument[],
  files: EmbedFiles,
): Finding[] {
  const hasOwn = embedsKeyfiles(files) || kargs.some(isNetworkArgument);
  if (hasOwn || !isStatic(readConnections(keyfilesOf(config)))) return [];
  return [{ ...imageRules.initramfsNetworkMissing, path: [] }];
}
