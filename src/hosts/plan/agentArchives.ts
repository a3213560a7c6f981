/**
 * `--agent-archive`, or the setting of an inventory. The archive is published once, and configs that hosts fetch contain
 * its URL. A full ISO contains the archive itself, and therefore needs a separate config.
 */

import type { ArchivedImage, ContainerArchive } from '../../formats/containerArchive.ts';
import { resolve } from 'node:path';
import { type Architecture, architectures, machineName } from '../../core/architecture.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { ConfigArtifact } from '../../core/artifacts.ts';
import { agentPath } from './servedPaths.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import { openSharedImage } from '../../imagefile/sharedImage.ts';
import { collectDiagnostics } from '../../io/report/report.ts';
import { createArchiveReader, type ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { openArchive } from '../settings/agentImage.ts';
import { createUnitCheck } from '../input/unitTools.ts';
import { createRenderer, type RenderedConfig } from '../settings/renderConfig.ts';
import { readInputs, type RenderInputs, type RenderSource } from '../settings/settings.ts';
import { onlyOne } from './baseCatalog.ts';
import { splitArchitecture } from './imageInputs.ts';

/** The configs of a host, or of all unknown machines. */
export interface HostConfigs {
  /** For every way to boot except a full ISO. */
  readonly fetched: RenderedConfig;
  readonly onIso: RenderedConfig;
  /** Undefined if the image is pulled from a registry. */
  readonly archive: HostArchive | undefined;
}

export interface HostArchive {
  readonly content: ContainerArchive;
  readonly image: ArchivedImage;
  /** The URL that hosts fetch it from, if it is not in the prepared folder. */
  readonly url?: string | undefined;
  /** Name of the folder in `agents`; changes with the content. */
  readonly id: string;
  /** File name without folder. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly architecture: string;
}

/** Makes an archive available to hosts, and returns its URL. May be called several times for one archive. */
export type PublishArchive = (archive: HostArchive) => Promise<string>;

export interface OpenArchive {
  /** File name without folder. */
  readonly name: string;
  readonly sha512: string;
  readonly file: OpenImage;
}

export interface AgentArchives {
  /**
   * Renders the configs for these artifacts of a host, or of machines that are not listed. Returns undefined for an invalid
   * config, after reporting its errors.
   */
  render(
    source: RenderSource,
    architecture: Architecture | undefined,
    artifacts: readonly ConfigArtifact[],
    publish: PublishArchive,
  ): Promise<HostConfigs | undefined>;
  used(): readonly HostArchive[];
  /** Opens the archive unless it is already open. @throws CliError if it cannot be read */
  open(archive: HostArchive): Promise<OpenArchive>;
  /** The open archives by their path, relative to the base URL. */
  readonly byPath: ReadonlyMap<string, OpenArchive>;
  close(): Promise<void>;
}

/**
 * @param given each `FILE` or `ARCHITECTURE=FILE`
 * @throws CliError for archives that are missing or damaged, UsageError for two archives of one architecture
 */
export async function readAgentArchives(given: readonly string[] = [], io: Io): Promise<AgentArchives> {
  const readFile = createArchiveReader(io);
  const files = await readGiven(given, readFile);
  const render = createRenderer(createUnitCheck(io));
  const used = new Map<string, HostArchive>();
  const byPath = new Map<string, OpenArchive>();
  const renderOnce = async (
    source: RenderSource,
    archive?: HostArchive,
    collected?: RenderInputs,
  ): Promise<HostConfigs | undefined> => {
    const config = await render(source, collected);
    return config && { fetched: config, onIso: config, archive };
  };
  return {
    render: async (source, architecture, artifacts, publish) => {
      const chosen = withArchive({ ...source, readArchive: readFile }, files, architecture);
      const collected = readInputs(chosen);
      const { inputs } = collected;
      const value = inputs.get('agent.archive')?.at(-1);
      if (value === undefined) return renderOnce(chosen, undefined, collected);
      const opened = await openArchive(value, inputs.get('agent.image')?.at(-1), readFile);
      const archive = {
        ...opened,
        id: `${opened.architecture}-${opened.content.sha512.slice(0, 12)}`,
        path: resolve(io.cwd, opened.path),
        url: inputs.get('agent.archiveUrl')?.at(-1)?.text,
      };
      used.set(archive.path, archive);
      const isFetched = archive.url === undefined && artifacts.some((artifact) => artifact !== 'iso');
      if (!isFetched) return renderOnce(chosen, archive, collected);
      const options = { ...chosen.options, archiveUrl: await publish(archive) };
      const fetched = await renderOnce({ ...chosen, options }, archive);
      if (fetched === undefined || !artifacts.includes('iso')) return fetched;
      const { io: silent } = collectDiagnostics(chosen.io); // the other config has the same warnings
      const onIso = await render({ ...chosen, io: silent });
      return onIso && { ...fetched, onIso };
    },
    used: () => [...used.values()],
    open: async ({ id, name, path, content: { sha512 } }) => {
      const place = agentPath(id, name);
      const known = byPath.get(place);
      if (known !== undefined) return known;
      const file = await openSharedImage(path, path);
      const opened = { name, sha512, file };
      byPath.set(place, opened);
      return opened;
    },
    byPath,
    close: async () => {
      for (const { file } of byPath.values()) await file.close();
    },
  };
}

/** By architecture; undefined for a single archive, which may contain images of any architecture. */
type GivenArchives = ReadonlyMap<string | undefined, string>;

async function readGiven(texts: readonly string[], readFile: ReadArchiveFile): Promise<GivenArchives> {
  const files = new Map<string | undefined, string>();
  for (const text of texts) {
    const { architecture: given, name } = splitArchitecture(text);
    const { images } = await readFile({ path: name, place: '--agent-archive' });
    const found = images.map((image) => machineName(image.architecture));
    const architecture = given ?? (texts.length === 1 ? undefined : onlyOne(found));
    if (architecture === undefined && texts.length > 1) {
      throw new UsageError(`${name} contains images for several architectures`, {
        hint: `add the architecture of its hosts: --agent-archive ${architectures[0]}=${name}`,
      });
    }
    const other = files.get(architecture);
    if (other !== undefined) {
      throw new UsageError(`two agent archives for ${architecture}: ${other} and ${name}`, {
        hint: `remove --agent-archive of ${other} or of ${name}`,
      });
    }
    files.set(architecture, name);
  }
  return files;
}

function withArchive(
  source: RenderSource,
  given: GivenArchives,
  architecture: Architecture | undefined,
): RenderSource {
  const known = { ...source, architecture: source.architecture ?? architecture };
  if (given.size === 0) return known;
  const wanted = known.architecture ?? 'x86_64'; // like the images of a host that sets none
  const file = given.get(wanted) ?? given.get(undefined);
  if (file !== undefined) return { ...known, options: { ...source.options, agentArchive: file } };
  throw new CliError(`no agent archive for ${wanted}`, {
    code: 'ERR_SETTING',
    hint: `pass it: --agent-archive ${wanted}=FILE`,
  });
}
