/** Which Ironic the hosts of an inventory are to call, before their configs are rendered. */

import { inputParsers } from '../../agent/inputParsers.ts';
import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { listHosts } from '../../hosts/settings/renderHosts.ts';
import { readIronic } from '../../hosts/settings/ironicReaders.ts';
import { readInputs, type RenderSource } from '../../hosts/settings/settings.ts';
import type { ServeSource } from '../../serve/source.ts';

/** By the name of the host; none for those that are wrong, or on their own. */
export type IronicUrls = ReadonlyMap<string, readonly string[]>;

export function ironicUrlsOfHosts({ inventory, source }: ServeSource, io: Io): IronicUrls {
  const hosts = listHosts(inventory.hosts ?? [], source);
  return new Map(
    hosts.map(({ name, problems, readSource }) => [
      name,
      problems.length === 0 ? urlsOf(readSource(io)) : [],
    ]),
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
