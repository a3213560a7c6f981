/** The archive with the agent's image that `--agent-archive` names: read once, checked, and described for the config. */

import { basename } from 'node:path';
import {
  checkArchiveName,
  checkArchiveReference,
  checkArchiveUrl,
  chooseImage,
  coreosArchitecture,
} from '../../agent/agentArchive.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import type { AgentArchive } from '../../agent/settings.ts';
import { UsageError } from '../../core/errors.ts';
import { createArchiveReader } from '../input/containerArchiveFile.ts';
import { inFile, inPlace, parsed, pathIn, type Reading, valueOf } from './reading.ts';

/** An archive, and what its image is called on hosts. */
export interface ReadArchive {
  readonly archive: AgentArchive;
  readonly reference: string;
}

/**
 * Undefined where the image comes from a registry.
 * @param image the reference that was given, if one was
 */
export async function readAgentArchive(
  reading: Reading,
  image: InputValue | undefined,
): Promise<ReadArchive | undefined> {
  const value = valueOf(reading, 'agent.archive');
  const url = parsed(reading, 'agent.archiveUrl', checkArchiveUrl);
  if (value === undefined) return refuseUrlAlone(reading);
  refusePulling(reading, value);
  if (image !== undefined) inPlace(image.place, () => checkArchiveReference(image.text));
  const name = inFile(value, () => checkArchiveName(basename(value.text)));
  const readArchive = reading.readArchive ?? createArchiveReader(reading.io);
  const content = await readArchive({ path: pathIn(value, value.text), place: value.place });
  const chosen = inFile(value, () => chooseImage(content, image?.text));
  return {
    reference: chosen.reference,
    archive: {
      name,
      sha512: content.sha512,
      imageId: chosen.image.id,
      architecture: coreosArchitecture(chosen.image),
      ...(url !== undefined && { url }),
    },
  };
}

function refuseUrlAlone(reading: Reading): undefined {
  const url = valueOf(reading, 'agent.archiveUrl');
  if (url === undefined) return undefined;
  throw new UsageError(`${url.place} is where an archive is, and no archive is given`, {
    hint: 'add --agent-archive FILE, of which hosts check the digest',
  });
}

function refusePulling(reading: Reading, { place }: InputValue): void {
  const policy = valueOf(reading, 'agent.pullPolicy');
  if (policy === undefined || policy.text === 'never') return;
  throw new UsageError(
    `${policy.place} ${policy.text} contradicts ${place}: the image is loaded, not pulled`,
    {
      hint: 'leave the policy out',
    },
  );
}
