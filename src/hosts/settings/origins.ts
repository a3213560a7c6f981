/** Which input made a part of a rendered config. A problem of the part names the input, by its file and line. */

import { isDeepStrictEqual } from 'node:util';
import { KEYFILE_FOLDER } from '../../agent/files.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { FilePlace } from '../../core/errors.ts';
import type { Finding, Path } from '../../core/finding.ts';
import { asMapping, valueAt } from '../../formats/mapping.ts';
import type { Config } from '../../ignition/config.ts';
import type { ValidConfig } from '../input/configFiles.ts';

/** Where the part that a finding is about is from. */
export type OriginOf = (finding: Finding) => Origin;

interface Origin {
  /** The merged config that the part is from; undefined if a setting made it. */
  readonly document?: ValidConfig;
  /** Leads into that config, or else into the rendered one. */
  readonly path: Path;
  /** In the file that the setting names. */
  readonly at?: FilePlace | undefined;
}

/** Where in a file a line of the rendered text is; the file if the line is undefined. */
type Locate = (line?: number) => FilePlace | undefined;

/**
 * @param documents those that were merged over the rendered config, in this order
 * @returns the origin of what a finding is about
 */
export function createOrigins(
  config: Config,
  settings: AgentSettings,
  documents: readonly ValidConfig[],
): OriginOf {
  const made = new Map<string, Locate>();
  for (const { from, path } of settings.files) made.set(path, inFile(from));
  for (const { from, name } of settings.units) made.set(name, inFile(from));
  for (const { locate, name } of settings.keyfiles)
    made.set(`${KEYFILE_FOLDER}/${name}`, (line) => locate?.(line));
  return ({ path, line }) => {
    for (const document of documents.toReversed()) {
      const inner = pathInPart(config, document.config, path);
      if (inner !== undefined) return { document, path: inner };
    }
    const { name, path: file = name } = asMapping(valueAt(config, path.slice(0, OWNER_STEPS)));
    return { path, at: made.get(String(file))?.(line) };
  };
}

function inFile(file: string | undefined): Locate {
  return (line) => (file === undefined ? undefined : { file, ...(line !== undefined && { line }) });
}

/** Steps of the path of a file or unit in a config: `storage`, `files` and the index. */
const OWNER_STEPS = 3;

/** The path in `part` of the value that `path` leads to in `whole`, if it is the same one there. Named entries of lists may be at another index. */
function pathInPart(whole: unknown, part: unknown, path: Path): Path | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return [];
  const value = valueAt(whole, [step]);
  const name = nameOf(value);
  const at =
    Array.isArray(part) && typeof step === 'number'
      ? part.findIndex((entry) =>
          name === undefined ? isDeepStrictEqual(entry, value) : nameOf(entry) === name,
        )
      : step;
  const inner = valueAt(part, [at]);
  if (inner === undefined || (rest.length === 0 && typeof value === 'string' && inner !== value))
    return undefined;
  const below = pathInPart(value, inner, rest);
  return below && [at, ...below];
}

function nameOf(value: unknown): unknown {
  const { path, name, device } = asMapping(value);
  return path ?? name ?? device;
}
