/** The archive that a config loads: what it is, and whether the medium has it. */

import {
  archiveMemory,
  chooseArchivedImage,
  type DeployedArchive,
  findDeployedArchive,
} from '../../agent/agentArchive.ts';
import { FormatError } from '../../core/errors.ts';
import { type ContainerArchive, readContainerArchive } from '../../formats/containerArchive.ts';
import type { Config } from '../../ignition/config.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';
import { sourceOfImage } from '../../image/initrd.ts';
import { imageRules } from '../../image/inspection/imageRules.ts';
import type { MemoryPart } from '../../image/inspection/memoryNeed.ts';
import { type IsoEntry, openIsoTree } from '../../image/isoTree.ts';
import type { RandomAccess } from '../../image/overlay.ts';
import type { ImageInput } from './imageSource.ts';

/**
 * `present`: the medium has it, with its digest. `other`: another file of that name. `unchecked`: it is fetched, or it is
 * not known which medium it will be on, or reading it would take too long.
 */
export type ArchiveState = 'present' | 'missing' | 'mismatch' | 'unchecked';

export interface InspectedArchive extends DeployedArchive {
  readonly state: ArchiveState;
  /** Bytes, of one on the medium. */
  readonly size?: number;
  /** What it takes of a host's memory, where it was read. */
  readonly memory: readonly MemoryPart[];
  readonly issues: readonly Issue[];
}

/** What is known of the image that the config was in. */
interface ArchivePlace extends Pick<ImageInput, 'image' | 'kind'> {
  /** Whether reading a few hundred megabytes takes no time to speak of. */
  readonly isLocal: boolean;
}

/** Undefined where the config loads none. */
export async function inspectAgentArchive(
  config: Config,
  { image, isLocal, kind }: ArchivePlace,
): Promise<InspectedArchive | undefined> {
  const deployed = findDeployedArchive(config);
  if (deployed === undefined) return undefined;
  const nothing = { ...deployed, memory: [], issues: [] };
  // A config by itself may be for any medium.
  if (deployed.url !== undefined || kind === 'other') return { ...nothing, state: 'unchecked' };
  const entry = kind === 'iso' ? await (await openIsoTree(image)).find(`coreos/${deployed.name}`) : undefined;
  if (entry?.kind !== 'file')
    return { ...nothing, state: 'missing', issues: [issueOf(imageRules.archiveMissing)] };
  const { size } = entry;
  if (!isLocal) return { ...nothing, state: 'unchecked', size };
  return { ...deployed, size, ...(await checkFile(deployed, partOf(image, entry))) };
}

function partOf(image: RandomAccess, { offset, size }: IsoEntry): RandomAccess {
  return { size, read: (start, length) => image.read(offset + start, length) };
}

async function checkFile(
  { image, sha512 }: DeployedArchive,
  file: RandomAccess,
): Promise<Pick<InspectedArchive, 'state' | 'memory' | 'issues'>> {
  try {
    const content = await readContainerArchive(sourceOfImage(file));
    if (content.sha512 !== sha512)
      return { state: 'mismatch', memory: [], issues: [issueOf(imageRules.archiveOther)] };
    return { state: 'present', memory: memoryOf(content, image), issues: [] };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const issue = issueOf(
      imageRules.archiveUnreadable,
      `${imageRules.archiveUnreadable.message}: it ${error.message}`,
    );
    return { state: 'mismatch', memory: [], issues: [issue] };
  }
}

function memoryOf(content: ContainerArchive, name: string | undefined): MemoryPart[] {
  return archiveMemory(content, chooseArchivedImage(content, name).image, {});
}

function issueOf(rule: Rule, message: string = rule.message): Issue {
  return { rule, path: [], message };
}
