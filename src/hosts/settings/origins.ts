/** Which input made a part of a rendered config. A problem of the part names the input, by its file and line. */

import { basename } from 'node:path';
import type { AddedUnit } from '../../agent/settings.ts';
import { type FilePlace, placeIn } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { asMapping, valueAt } from '../../formats/mapping.ts';
import type { Config } from '../../ignition/config.ts';
import type { EffectiveConfig } from '../../ignition/effectiveConfig.ts';
import { partsOf, traceOrigins } from '../../ignition/origins.ts';
import type { Keyfile } from '../../network/convertedKeyfile.ts';
import type { ValidConfig } from '../input/configFiles.ts';

/** A config that was merged: the rendered one, or one of the user. */
export interface MergedConfig {
  readonly config: Config;
  /** Undefined if the settings made it. */
  readonly document?: ValidConfig;
}

export interface Original {
  /** Of the config that was merged, if it is of the user. */
  readonly document?: ValidConfig | undefined;
  /** With a path in the document, or else in the rendered config, and a place in the file that a setting names. */
  readonly finding: Finding;
  readonly isOfSetting?: true;
}

/**
 * Returns a function that finds what a finding about the merged configs is about.
 * @param effective the merged configs, merged with those that they inline
 */
export function createOrigins(
  merged: Config,
  effective: EffectiveConfig,
  sources: readonly MergedConfig[],
): (finding: Finding) => Original {
  const trace = traceOrigins(merged, sources);
  return (finding) => {
    const { path: inner, place } = effective.locate(finding.path);
    const { path, source } = trace(place[0] ?? inner);
    const { config, document } = source;
    const part = document === undefined ? valueAt(config, path.slice(0, OWNER_STEPS)) : undefined;
    const [input] = Object(part) === part ? partsOf(Object(part)) : [];
    return { document, finding: atPlace({ ...finding, path }, part, placeOf(input, finding.line)) };
  };
}

/** Steps of the path of a file or unit in a config: `storage`, `files` and the index. */
const OWNER_STEPS = 3;

/** What a part was made of: a keyfile, or a file or unit of the user. */
type Input = Pick<Keyfile, 'locate'> & Pick<AddedUnit, 'from'>;

function placeOf(input: Input = {}, line?: number): FilePlace | undefined {
  const { from, locate } = input;
  return from === undefined ? locate?.(line) : placeIn(from, line);
}

/** The place replaces the name of the same file at the beginning of the message: `burn.service:2: `. */
function atPlace(finding: Finding, part: unknown, at: FilePlace | undefined): Finding {
  if (at === undefined) return finding;
  const { name, path = name } = asMapping(part);
  const own = basename(String(path));
  const isNamed = basename(at.file) === own && finding.message.startsWith(own);
  const [, message] = (isNamed && /^(?::\d+)*: (.*)$/s.exec(finding.message.slice(own.length))) || [];
  return { ...finding, at, message: message ?? finding.message };
}
