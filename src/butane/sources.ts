/** Where in the YAML the values of a generated config are from. */

import type { Config } from '../ignition/config.ts';
import { makeLocate } from '../ignition/effectiveConfig.ts';
import { mergeConfigs } from '../ignition/merge.ts';
import type { SpecVersion } from '../ignition/versions.ts';
import { formatPath, type Path } from '../core/finding.ts';
import { snakeCase } from './schema.ts';

/** A config, and the path in the YAML of each path in it. */
export interface Generated {
  readonly config: Config;
  readonly locate: (path: Path) => Path;
}

/** The sources of values that are not under the same names in the YAML. */
export class Sources {
  readonly #exact = new Map<string, Path>();
  readonly #below = new Map<string, Path>();

  /** A value itself. */
  add(path: Path, source: Path): void {
    this.#exact.set(formatPath(path), source);
  }

  /** A value and everything in it, except what `add` declares. */
  addAll(path: Path, source: Path): void {
    this.#below.set(formatPath(path), source);
  }

  find(path: Path): Path | undefined {
    const exact = this.#exact.get(formatPath(path));
    if (exact !== undefined || this.#below.size === 0) return exact;
    for (let length = path.length; length > 0; length -= 1) {
      const found = this.#below.get(formatPath(path.slice(0, length)));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** `sizeMiB` is `size_mib` in the YAML; all paths without another source have the same steps. */
export function snakePath(path: Path): Path {
  return path.map((step) => (typeof step === 'string' ? snakeCase(step) : step));
}

/** Merges the config of the user over a generated one, so that the user's values take precedence. */
export function mergeOver(generated: Generated, user: Generated, version: SpecVersion): Generated {
  const config = mergeConfigs(generated.config, user.config, version);
  const find = makeLocate(config, [
    { place: ['generated'], config: generated.config },
    { place: [], config: user.config },
  ]);
  return {
    config,
    locate: (path) => {
      const { path: inner, place } = find(path);
      return (place.length === 0 ? user : generated).locate(inner);
    },
  };
}
