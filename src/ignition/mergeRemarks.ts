/** What a config inherits implicitly of the one that it is merged into, which is the result of all merges so far. */

import type { Finding } from '../core/finding.ts';
import { issue, warningRule } from '../core/rule.ts';
import { isMapping, mappingAt } from '../formats/mapping.ts';
import type { Config } from './config.ts';
import { mergeConfigs } from './merge.ts';
import { hasContent } from './normalize.ts';
import { traceOrigins } from './origins.ts';
import { configType } from './schema.ts';
import type { SpecVersion } from './versions.ts';
import { walkConfig } from './walkConfig.ts';

export const inheritsContents = warningRule(
  'merge-inherits',
  'contents inherit fields that they leave out',
  'set "compression" to "" for none, and set a hash of these contents; merging cannot remove a hash',
);

/** The names of contents in Ignition. */
const contentsTypes: ReadonlySet<unknown> = new Set(['ConfigReference', 'FileContents', 'Resource']);

/**
 * Remarks on merging `child` over `parent`, both of `version`; paths refer to the child. Contents are merged field by field, so a
 * new source may keep the compression and the hash of the old one.
 */
export function remarkMerge(parent: Config, child: Config, version: SpecVersion): readonly Finding[] {
  const merged = mergeConfigs(parent, child, version);
  const origins = traceOrigins(merged, [{ config: parent }, { config: child }]);
  const remarks: Finding[] = [];
  for (const { path: steps, type, value } of walkConfig(configType(version), merged)) {
    if (typeof type === 'string' || !contentsTypes.has(type.name) || !isMapping(value)) continue;
    const path = [...steps];
    const { path: place, source } = origins([...path, 'source']);
    const own = mappingAt(child, place.slice(0, -1));
    if (source.config !== child || own['source'] === undefined) continue;
    const inherited = ['compression', 'verification', 'httpHeaders'].filter(
      (name) => hasContent(value[name]) && !hasContent(own[name]),
    );
    const before = origins([...path, inherited[0] ?? 'source']);
    const isNew = mappingAt(before.source.config, before.path.slice(0, -1))['source'] !== own['source'];
    if (inherited.length === 0 || !isNew) continue;
    const names = inherited.map((name) => (name === 'verification' ? 'verification.hash' : name));
    const message = `the new source inherits ${names.join(' and ')} of the parent`;
    remarks.push({ ...issue(inheritsContents, place), message });
  }
  return remarks;
}
