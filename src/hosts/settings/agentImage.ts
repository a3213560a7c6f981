/** The image of the agent: from a registry, or from an archive. */

import { basename } from 'node:path';
import { checkArchiveName, checkArchiveReference, chooseArchivedImage } from '../../agent/agentArchive.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { type AgentSettings, defaultSettings } from '../../agent/settings.ts';
import { machineName } from '../../core/architecture.ts';
import { formatSource, located, UsageError } from '../../core/errors.ts';
import { createArchiveReader, type ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { inputOf, pathIn, read, type Reading } from './reading.ts';

type ImageSettings = Pick<AgentSettings, 'agentImage' | 'archive' | 'pullPolicy'>;

export async function readAgentImage(reading: Reading): Promise<ImageSettings> {
  const agentImage = read(reading, 'agent.image');
  const archive = inputOf(reading, 'agent.archive');
  const url = read(reading, 'agent.archiveUrl');
  if (archive !== undefined) return readArchive(archive, url, reading);
  const given = inputOf(reading, 'agent.archiveUrl');
  if (given !== undefined) {
    throw new UsageError(`${given.name} requires an agent archive`, {
      hint: 'pass the archive, too: --agent-archive FILE; hosts verify its digest',
      at: given.at,
    });
  }
  if (agentImage === undefined) throw missingImage(reading);
  return { agentImage, pullPolicy: read(reading, 'agent.pullPolicy') ?? defaultSettings.pullPolicy };
}

/** No public image is maintained. Only `render` has flags for settings. */
function missingImage({ profile, settingsPlace }: Reading): UsageError {
  if (profile !== 'default') {
    const own = settingsPlace === undefined ? '--agent-image' : `agent.image ${settingsPlace}`;
    return new UsageError(`profile ${profile} requires IRONIC_AGENT_IMAGE or ${own}`, {
      hint: 'set it, for example IRONIC_AGENT_IMAGE=registry.example.com/ironic-agent',
    });
  }
  const given =
    settingsPlace === undefined
      ? 'pass --agent-image registry.example.com/ironic-agent or --agent-archive FILE'
      : `set agent.image or agent.archive ${settingsPlace}`;
  return new UsageError('the image of the agent is missing', {
    hint: `${given}; "podman build -t registry.example.com/ironic-agent deploy/agent-image" builds one (docs/agent-image.md)`,
  });
}

async function readArchive(
  value: InputValue,
  url: string | undefined,
  reading: Reading,
): Promise<ImageSettings> {
  const [policy] = reading.inputs.get('agent.pullPolicy') ?? [];
  if (policy !== undefined && policy.text !== 'never') {
    const { at, name, text } = policy;
    throw new UsageError(
      `${name} ${text} cannot be combined with ${formatSource(value)}: the image is loaded, not pulled`,
      { hint: 'remove the pull policy', at },
    );
  }
  const image = inputOf(reading, 'agent.image');
  if (image !== undefined) {
    const { at, name: subject, text } = image;
    located({ at, subject, code: 'ERR_USAGE' }, () => checkArchiveReference(text));
  }
  const opened = await openArchive(value, image, reading.readArchive ?? createArchiveReader(reading.io));
  const { architecture, content, image: chosen, name, reference } = opened;
  const archive = { name, sha512: content.sha512, imageId: chosen.id, architecture, url };
  return { agentImage: reference, archive, pullPolicy: 'never' };
}

/** The archive that an input names, and the image in it that the agent runs from. */
export async function openArchive(
  value: InputValue,
  image: InputValue | undefined,
  readArchiveFile: ReadArchiveFile,
) {
  const path = pathIn(value, value.text);
  const context = { at: value.at, subject: `${value.name}: ${value.text}`, code: 'ERR_SETTING' } as const;
  const name = located(context, () => checkArchiveName(basename(path)));
  const content = await located(context, () => readArchiveFile({ path, place: value.name }));
  const chosen = located(context, () => chooseArchivedImage(content, image?.text));
  return { ...chosen, path, name, content, architecture: machineName(chosen.image.architecture) };
}
