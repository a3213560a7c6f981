/**
 * `--agent-archive`, or the setting of an inventory: the archive with the agent's image is published once, and configs that
 * hosts fetch name it by URL. A full ISO has it on the medium instead, and hence a config of its own.
 */

import { basename, resolve } from 'node:path';
import { checkArchiveName, chooseArchivedImage, coreosArchitecture } from '../../agent/agentArchive.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { ConfigArtifact } from '../artifacts/artifacts.ts';
import type { ArchiveToLoad } from '../artifacts/hostMemory.ts';
import { collectDiagnostics } from '../../io/report/report.ts';
import { createArchiveReader, type ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { inFile, pathIn } from '../settings/reading.ts';
import type { RenderConfig, RenderedConfig } from '../settings/renderConfig.ts';
import { readInputs, type RenderSource } from '../settings/settings.ts';
import { splitArchitecture } from './imageInputs.ts';

/** The configs of a host, or of all that are not known. */
export interface HostConfigs {
  /** For every way of booting but that from a full ISO. */
  readonly fetched: RenderedConfig;
  readonly onIso: RenderedConfig;
  /** Undefined where the image is pulled from a registry. */
  readonly archive: HostArchive | undefined;
}

/** The archive that a host loads. */
export interface HostArchive extends ArchiveToLoad {
  /** The folder below `agents`, another one for other bytes. */
  readonly id: string;
  /** Of the file, without folders. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly architecture: string;
}

/** Makes an archive available to hosts, once or again, and gives its URL. */
export type PublishArchive = (archive: HostArchive) => Promise<string>;

/** Renders configs; undefined, after it has been told why, for what is wrong. */
export interface AgentArchives {
  render(source: RenderSource, host: ArchiveHost): Promise<HostConfigs | undefined>;
  /** Those that configs name. */
  used(): readonly HostArchive[];
}

interface ArchiveHost {
  readonly architecture: Architecture | undefined;
  readonly publish: PublishArchive;
}

export interface ArchiveJob {
  /** `FILE`, or `ARCHITECTURE=FILE`. */
  readonly given: readonly string[];
  readonly configs: readonly ConfigArtifact[];
  readonly render: RenderConfig;
  readonly io: Io;
}

/** @throws CliError for archives that are missing or damaged, UsageError for two of one architecture */
export async function openAgentArchives(job: ArchiveJob): Promise<AgentArchives> {
  const readFile = createArchiveReader(job.io);
  const given = await readGiven(job.given, readFile);
  const used = new Map<string, HostArchive>();
  return {
    render: async (source, host) => {
      const chosen = withArchive({ ...source, readArchive: readFile }, given, host.architecture);
      const { inputs } = readInputs(chosen);
      const value = inputs.get('agent.archive')?.at(-1);
      if (value === undefined) return renderPulled(chosen, job);
      const archive = await describe(
        { value, image: inputs.get('agent.image')?.at(-1), url: inputs.get('agent.archiveUrl')?.at(-1) },
        readFile,
        job.io,
      );
      used.set(archive.path, archive);
      return renderLoaded(chosen, { archive, ...host }, job);
    },
    used: () => [...used.values()],
  };
}

/** By architecture; undefined is for a single one, whatever it is for. */
type GivenArchives = ReadonlyMap<string | undefined, string>;

async function readGiven(texts: readonly string[], readFile: ReadArchiveFile): Promise<GivenArchives> {
  const files = new Map<string | undefined, string>();
  for (const text of texts) {
    const { architecture: said, name } = splitArchitecture(text);
    const { images } = await readFile({ path: name, place: '--agent-archive' });
    const found = new Set(images.map(coreosArchitecture));
    const architecture = said ?? (texts.length === 1 ? undefined : onlyOne(found, name));
    const other = files.get(architecture);
    if (other !== undefined) {
      throw new UsageError(`${other} and ${name} are both the agent archive for ${architecture}`, {
        hint: 'give one of them',
      });
    }
    files.set(architecture, name);
  }
  return files;
}

function onlyOne(found: ReadonlySet<string>, name: string): string {
  const [architecture, ...others] = found;
  if (architecture !== undefined && others.length === 0) return architecture;
  throw new UsageError(`${name} has images for several architectures`, {
    hint: `say which hosts it is for: --agent-archive ${architectures[0]}=${name}`,
  });
}

function withArchive(
  source: RenderSource,
  given: GivenArchives,
  architecture: Architecture | undefined,
): RenderSource {
  const known = source.architecture === undefined && architecture !== undefined ? { architecture } : {};
  if (given.size === 0) return { ...source, ...known };
  const file = given.get(architecture ?? source.architecture) ?? given.get(undefined);
  if (file !== undefined) return { ...source, ...known, options: { ...source.options, agentArchive: file } };
  throw new CliError(`there is no agent archive for ${architecture}`, {
    code: 'ERR_SETTING',
    hint: `give it: --agent-archive ${architecture}=FILE`,
  });
}

async function renderPulled(source: RenderSource, { render }: ArchiveJob): Promise<HostConfigs | undefined> {
  const config = await render(source);
  return config && { fetched: config, onIso: config, archive: undefined };
}

interface ArchiveInputs {
  readonly value: InputValue;
  readonly image: InputValue | undefined;
  readonly url: InputValue | undefined;
}

async function describe(
  { value, image: wanted, url }: ArchiveInputs,
  readFile: ReadArchiveFile,
  { cwd }: Io,
): Promise<HostArchive> {
  const path = pathIn(value, value.text);
  const content = await readFile({ path, place: value.place });
  const { image } = inFile(value, () => chooseArchivedImage(content, wanted?.text));
  const architecture = coreosArchitecture(image);
  return {
    id: `${architecture}-${content.sha512.slice(0, 12)}`,
    name: inFile(value, () => checkArchiveName(basename(path))),
    path: resolve(cwd, path),
    architecture,
    content,
    image,
    ...(url !== undefined && { url: url.text }),
  };
}

async function renderLoaded(
  source: RenderSource,
  { archive, publish }: ArchiveHost & { readonly archive: HostArchive },
  { configs, render }: ArchiveJob,
): Promise<HostConfigs | undefined> {
  const isOnIso = archive.url === undefined && configs.includes('iso');
  const isFetched = archive.url === undefined && configs.some((artifact) => artifact !== 'iso');
  const first = await render(isFetched ? withUrl(source, await publish(archive)) : source);
  if (first === undefined || !isFetched || !isOnIso)
    return first && { fetched: first, onIso: first, archive };
  const { io } = collectDiagnostics(source.io); // the same has been said of the other one
  const onIso = await render({ ...source, io });
  return onIso && { fetched: first, onIso, archive };
}

function withUrl(source: RenderSource, archiveUrl: string): RenderSource {
  return { ...source, options: { ...source.options, archiveUrl } };
}
