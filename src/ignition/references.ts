/** What a config refers to in `ignition.config`: configs that Ignition merges into it, or takes in its place. */

import type { Path } from '../core/finding.ts';
import type { Config, Resource } from './config.ts';

/** A config that another refers to. */
export interface Reference {
  readonly resource: Resource;
  /** In the config that refers to it, e.g. `['ignition', 'config', 'merge', 0]`. */
  readonly path: Path;
}

/** The references that Ignition follows, in its order: where one config replaces another, nothing is merged into it. */
export function listReferences({ ignition }: Config): readonly Reference[] {
  const { merge = [], replace } = ignition?.config ?? {};
  if (replace?.source !== undefined) return [{ resource: replace, path: ['ignition', 'config', 'replace'] }];
  return merge.map((resource, index) => ({ resource, path: ['ignition', 'config', 'merge', index] }));
}
