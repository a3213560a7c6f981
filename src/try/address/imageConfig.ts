/** Which Ironic the config of an image names: of a live ISO, or of a host in a prepared folder. */

import { join } from 'node:path';
import { describeConfig } from '../../agent/deployed/describeConfig.ts';
import { CliError, FormatError } from '../../core/errors.ts';
import type { Config } from '../../ignition/config.ts';
import { readIgnition } from '../../image/embeddedIgnition.ts';
import { splitKargs } from '../../image/inspection/inspection.ts';
import { openLiveIso } from '../../image/liveIso.ts';
import type { OpenImage } from '../../io/images/imageBytes.ts';
import type { Io } from '../../io/io.ts';
import { readImage } from '../../io/images/imageFile.ts';
import type { ConfigArtifact } from '../../hosts/artifacts/artifacts.ts';
import { hostPath } from '../../hosts/artifacts/servedPaths.ts';
import { readDeployedConfig } from '../../hosts/input/imageSource.ts';
import type { FolderPlace } from '../serving/preparedFolderService.ts';

export type ImageConfig =
  /** At least one. */
  | { readonly kind: 'urls'; readonly urls: readonly string[] }
  /** Ignition gets no config from it. `problem` is a clause. */
  | { readonly kind: 'no-config'; readonly problem: string }
  /** What the agent calls cannot be told from the image alone. `reason` is a clause. */
  | { readonly kind: 'unknown'; readonly reason: string };

/** @param source a path or a URL. Throws CliError where it cannot be read. */
export async function readImageConfig(source: string, io: Io): Promise<ImageConfig> {
  const iso = await readImage(source, io, lookAtIso);
  if (iso === undefined) {
    return {
      kind: 'unknown',
      reason: `${source} is no live ISO of CoreOS, so it is not known what it calls`,
    };
  }
  const { hasConfig, kargs } = iso;
  // Counts more than what is embedded.
  if (kargs.some((argument) => argument.startsWith(CONFIG_URL))) {
    return { kind: 'unknown', reason: `kernel arguments of ${source} name a config that is fetched on boot` };
  }
  if (!hasConfig) return { kind: 'no-config', problem: `${source} holds no Ignition config` };
  return readConfigFile(source, io, kargs);
}

/** Of a host. */
export async function readFolderConfig(
  { manifest, path }: FolderPlace,
  host: string,
  io: Io,
): Promise<ImageConfig> {
  const listed = new Set(manifest.files.map((file) => file.path));
  const file = bootedConfigs.map((artifact) => hostPath(host, artifact)).find((name) => listed.has(name));
  if (file !== undefined) return readConfigFile(join(path, file), io, []);
  return { kind: 'unknown', reason: `${path} lists no config of ${host}` };
}

/** By the boot scripts, in the order in which they are quick to read; all of one host hold the same config. */
const bootedConfigs: readonly ConfigArtifact[] = ['ign', 'archive', 'initramfs'];

const CONFIG_URL = 'ignition.config.url=';
const API_URL = 'ipa-api-url=';

interface LiveConfig {
  readonly hasConfig: boolean;
  readonly kargs: readonly string[];
}

/** Undefined for what is no live ISO of CoreOS, which may bring its agent and settings in other ways. */
async function lookAtIso(image: OpenImage): Promise<LiveConfig | undefined> {
  try {
    const iso = await openLiveIso(image);
    if ((await iso.features()).otherSystem) return undefined;
    const { current = '' } = (await iso.kargsAreas()) ?? {};
    return { hasConfig: (await readIgnition(iso)) !== undefined, kargs: splitKargs(current) };
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

async function readConfigFile(source: string, io: Io, kargs: readonly string[]): Promise<ImageConfig> {
  const config = await readDeployedConfig(source, io).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  if (config instanceof CliError) return { kind: 'no-config', problem: config.message };
  const urls = ironicUrlsOf(config);
  // The conf of the agent counts before kernel arguments.
  const named = urls.length > 0 ? urls : kargs.flatMap((argument) => valueOf(argument, API_URL));
  if (named.length > 0) return { kind: 'urls', urls: named };
  return isComplete(config)
    ? { kind: 'unknown', reason: `the config in ${source} names no Ironic` }
    : { kind: 'unknown', reason: `the config in ${source} refers to another one, which is not looked into` };
}

function ironicUrlsOf(config: Config): string[] {
  const values = describeConfig(config).find(({ setting }) => setting === 'ironic.apiUrls')?.values ?? [];
  return values.flatMap((text) => text.split(',')).flatMap((url) => url.trim() || []);
}

function isComplete({ ignition }: Config): boolean {
  const { merge = [], replace } = ignition?.config ?? {};
  return merge.length === 0 && replace?.source === undefined;
}

function valueOf(argument: string, name: string): string[] {
  return argument.startsWith(name) ? [argument.slice(name.length)] : [];
}
