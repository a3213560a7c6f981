/**
 * The config that Ignition applies to a machine: a config, merged with the configs that it inlines with
 * `ignition.config.merge` and `replace`, at any depth. Configs that Ignition fetches on boot are not included; the result
 * still refers to them. Source: `RenderConfig` in Ignition's `internal/exec/config_fetcher.go`. Unlike Ignition, this
 * keeps values as written if their meaning changed in a newer spec version.
 */

import type { Path, Finding } from '../core/finding.ts';
import type { Config, IgnitionSection } from './config.ts';
import { fetchInlined, listReferences, referenceRules } from './inlinedConfig.ts';
import { mergeConfigs } from './merge.ts';
import { normalizeConfig } from './normalize.ts';
import { madeOf, traceOrigins } from './origins.ts';
import { issueWith, type Rule } from '../core/rule.ts';
import { documentRules, readConfig, type ReadResult, type RefusedConfig } from './validate.ts';
import { newestVersion, type SpecVersion } from './versions.ts';

/** The references to a config, the outermost first: `ignition.config.merge.0`. Empty for the outermost config. */
export type ConfigPlace = readonly Path[];

interface InlinedConfig {
  readonly place: ConfigPlace;
  readonly document: Buffer;
  readonly read: ReadResult;
}

export interface EffectiveConfig {
  readonly status: 'read';
  /** The merge of all readable configs; its version is that of the outermost one. */
  readonly config: Config;
  readonly version: SpecVersion;
  /** In the order in which Ignition fetches them. */
  readonly inlined: readonly InlinedConfig[];
  readonly issues: readonly PlacedIssue[];
  /** The source of a value of `config` in the documents; for a missing value, the place where it would be. */
  readonly locate: (path: Path) => { readonly place: ConfigPlace; readonly path: Path };
}

interface PlacedIssue {
  readonly place: ConfigPlace;
  readonly issue: Finding;
}

/** Limits for hostile configs, the latter for compressed data. Real configs inline a few configs. */
const MAX_CONFIGS = 256;
const MAX_BYTES = 64 * 1024 * 1024;

const tooManyConfigs: Rule = {
  ...documentRules['too-many-values'],
  message: `not checked: the inlined configs are more than ${MAX_CONFIGS}`,
  hint: 'inline fewer configs',
};

type ReadEffective = EffectiveConfig | RefusedConfig;

/** Several checks read the config of a host: each document, which must not change, is parsed once. */
export function readEffectiveConfig(document: Uint8Array): ReadEffective {
  const known = effectives.get(document);
  if (known !== undefined) return known;
  const read = readConfig(Buffer.from(document.buffer, document.byteOffset, document.byteLength));
  if (read.status === 'read') return effectiveOf(document, read);
  effectives.set(document, read);
  return read;
}

/** The same for a document that was written from this config. */
export function effectiveOf(document: Uint8Array, config: VersionedConfig): EffectiveConfig {
  const effective = resolveConfig(config);
  effectives.set(document, effective);
  return effective;
}

interface VersionedConfig {
  readonly config: Config;
  readonly version: SpecVersion;
}

const effectives = new WeakMap<Uint8Array, ReadEffective>();

export function resolveConfig({ config, version }: VersionedConfig): EffectiveConfig {
  if (listReferences(config).length === 0) {
    const unchanged = { config, inlined: [], issues: [], version };
    return { status: 'read', ...unchanged, locate: (path) => ({ place: [], path }) };
  }
  const search: Search = { layers: [], inlined: [], issues: [], bytesLeft: MAX_BYTES };
  const rendered = render(search, { place: [], config: normalizeConfig(config, version) });
  const effective = withIgnition(rendered, { ...rendered.ignition, version });
  const { inlined, issues, layers } = search;
  const trace = traceOrigins(effective, layers);
  const locate = (path: Path) => {
    const { source, path: inSource } = trace(path);
    return { place: source.place, path: inSource };
  };
  return { status: 'read', config: effective, version, inlined, issues, locate };
}

function withIgnition(config: Config, ignition: IgnitionSection): Config {
  return madeOf({ ...config, ignition: madeOf(ignition, config.ignition) }, config);
}

interface Search {
  /** All configs that can be read. */
  readonly layers: Layer[];
  readonly inlined: InlinedConfig[];
  readonly issues: PlacedIssue[];
  bytesLeft: number;
}

interface Layer {
  readonly place: ConfigPlace;
  readonly config: Config;
}

/** The config, merged with those that it refers to. Recursion is bounded by `MAX_CONFIGS`. */
function render(search: Search, layer: Layer): Config {
  search.layers.push(layer);
  const { ignition } = layer.config;
  const { replace } = ignition?.config ?? {};
  const references = listReferences(layer.config);
  // The inner configs; undefined for one that is fetched on boot or cannot be read.
  const children = references.map((reference) => {
    const { document, issues } = fetchInlined(reference, search.bytesLeft);
    const isOneTooMany = document !== undefined && search.inlined.length >= MAX_CONFIGS;
    const limit = { ...tooManyConfigs, path: reference.path };
    for (const found of isOneTooMany ? [limit] : issues)
      search.issues.push({ place: layer.place, issue: found });
    if (document === undefined || isOneTooMany) return undefined;
    search.bytesLeft = Math.max(0, search.bytesLeft - document.length);
    const inner = [...layer.place, reference.path];
    const read = readConfig(document);
    search.inlined.push({ place: inner, document, read });
    if (read.status === 'refused') return undefined;
    return render(search, { place: inner, config: normalizeConfig(read.config, read.version) });
  });
  if (replace?.source !== undefined) {
    reportReplaced(search, layer);
    return children[0] ?? withIgnition({}, { ...ignition, config: { replace } });
  }
  const others = references.flatMap(({ resource }, index) =>
    children[index] === undefined ? [resource] : [],
  );
  return children
    .filter((child) => child !== undefined)
    .reduce(
      (config, child) => mergeConfigs(config, child, newestVersion),
      withIgnition(layer.config, { ...ignition, config: { merge: others } }),
    );
}

function reportReplaced(search: Search, { place, config }: Layer): void {
  const { ignition, kernelArguments, passwd, storage, systemd } = config;
  const ignored = { merge: ignition?.config?.merge, kernelArguments, passwd, storage, systemd };
  const names = Object.entries(ignored).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  const found = issueWith(
    referenceRules['config-replaced'],
    ['ignition', 'config', 'replace'],
    names.join(', '),
  );
  search.issues.push({ place, issue: found });
}
