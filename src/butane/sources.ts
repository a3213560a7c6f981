/** Where in the YAML the values of a generated config are from. */

import type { Config } from '../ignition/config.ts';
import { mergeConfigs } from '../ignition/merge.ts';
import { traceOrigins } from '../ignition/origins.ts';
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
  readonly #moved = new Map<string, Path>();

  /** A value itself. */
  add(path: Path, source: Path): void {
    this.#exact.set(formatPath(path), source);
  }

  /** A value and everything in it, except what `add` declares. */
  addAll(path: Path, source: Path): void {
    this.#below.set(formatPath(path), source);
  }

  /** A value and everything in it, which has the same steps in the YAML. */
  addMoved(path: Path, source: Path): void {
    this.#moved.set(formatPath(path), source);
  }

  find(path: Path): Path | undefined {
    const exact = this.#exact.get(formatPath(path));
    if (exact !== undefined || this.#below.size + this.#moved.size === 0) return exact;
    for (let length = path.length; length > 0; length -= 1) {
      const parent = formatPath(path.slice(0, length));
      const moved = this.#moved.get(parent);
      const found =
        moved === undefined ? this.#below.get(parent) : [...moved, ...snakePath(path.slice(length))];
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
  const trace = traceOrigins(config, [generated, user]);
  return {
    config,
    locate: (path) => {
      const { source, path: inSource } = trace(path);
      return source.locate(inSource);
    },
  };
}
