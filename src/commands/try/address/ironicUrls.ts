/** Which Ironic the configs name: of hosts of an inventory, before they are rendered, and of configs in images. */

import { inputParsers } from '../../../agent/inputParsers.ts';
import { describeConfig } from '../../../agent/deployed/describeConfig.ts';
import { CliError } from '../../../errors.ts';
import type { Io } from '../../../io/io.ts';
import { readDeployedConfig } from '../../input/deployedConfig.ts';
import { listHosts } from '../../render/hosts.ts';
import { readIronic } from '../../render/ironicReaders.ts';
import { readInputs, type RenderSource } from '../../render/settings.ts';
import type { ServeSource } from '../../serve/source.ts';

/** By the name of the host; none for those that are wrong, or on their own. */
export type IronicUrls = ReadonlyMap<string, readonly string[]>;

export function ironicUrlsOfHosts({ inventory, source }: ServeSource, io: Io): IronicUrls {
  const hosts = listHosts(inventory.hosts ?? [], source);
  return new Map(
    hosts.map(({ name, problem, readSource }) => [name, problem === '' ? urlsOf(readSource(io)) : []]),
  );
}

/** What is wrong is told when it is rendered. */
function urlsOf(source: RenderSource): readonly string[] {
  try {
    const { inputs, profile } = readInputs(source);
    const { io, options } = source;
    const parse = inputParsers[profile];
    return readIronic({ profile, inputs, options, parse, io, warn: () => undefined }).apiUrls;
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}

export interface ConfigUrls {
  readonly ironicUrls: readonly string[];
  /** Why there is none: a clause. */
  readonly problem: string | undefined;
}

/** Of the config that a live ISO or a file brings. */
export async function ironicUrlsOfConfig(path: string, io: Io): Promise<ConfigUrls> {
  try {
    const settings = describeConfig(await readDeployedConfig(path, io));
    const urls = settings.find(({ setting }) => setting === 'ironic.apiUrls')?.values ?? [];
    const ironicUrls = urls.flatMap((text) => text.split(',')).map((url) => url.trim());
    const problem = ironicUrls.length === 0 ? `the config in ${path} names no Ironic` : undefined;
    return { ironicUrls, problem };
  } catch (error) {
    if (error instanceof CliError) return { ironicUrls: [], problem: error.message };
    throw error;
  }
}
