/** Where in the YAML the values of a generated config are from. */

import { asMapping, isMapping } from '../formats/mapping.ts';
import type { Config } from '../ignition/config.ts';
import { itemsOf, type Members } from '../ignition/decode.ts';
import { itemKey } from '../ignition/duplicates.ts';
import { mergeConfigs } from '../ignition/merge.ts';
import { configType, type Field, type ListField, structOf, type StructType } from '../ignition/schema.ts';
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
  const type = configType(version);
  const layers: Layers = { generated: asMapping(generated.config), user: asMapping(user.config) };
  return {
    config,
    locate: (path) => {
      const found = findOrigin(type, layers, path);
      return found.isGenerated ? generated.locate(found.path) : user.locate(found.path);
    },
  };
}

/** An object in both configs; undefined where it is missing. */
interface Layers {
  readonly generated: Members | undefined;
  readonly user: Members | undefined;
}

interface Origin {
  readonly isGenerated: boolean;
  readonly path: Path;
}

/** The path in one of the configs of a path in the merged one. A value that is in both is that of the user. */
function findOrigin(root: StructType, layers: Layers, path: Path): Origin {
  let type: StructType | undefined = root;
  let { generated, user } = layers;
  // The same steps, with the indexes of each config.
  let inGenerated: Path = [];
  let inUser: Path = [];
  for (let at = 0; at < path.length; at += 1) {
    const rest = path.slice(at);
    if (user === undefined) return { isGenerated: true, path: [...inGenerated, ...rest] };
    if (generated === undefined) return { isGenerated: false, path: [...inUser, ...rest] };
    const name = String(path[at]);
    const field: Field | undefined = type?.fields.find((one) => one.name === name);
    const index = path[at + 1];
    let own = generated[name];
    let users = user[name];
    inGenerated = [...inGenerated, name];
    inUser = [...inUser, name];
    if (field?.kind === 'list' && typeof index === 'number') {
      const item = mergedItems(field, type, { generated, user })[index] ?? {};
      own = item.generated === undefined ? undefined : itemsOf(own)[item.generated];
      users = item.user === undefined ? undefined : itemsOf(users)[item.user];
      inGenerated = [...inGenerated, item.generated ?? index];
      inUser = [...inUser, item.user ?? index];
      at += 1;
    }
    const isLast = at === path.length - 1;
    if (isLast)
      return users === undefined && own !== undefined
        ? { isGenerated: true, path: inGenerated }
        : { isGenerated: false, path: inUser };
    generated = isMapping(own) ? own : undefined;
    user = isMapping(users) ? users : undefined;
    if (generated === undefined && user === undefined) break;
    type = structOf(field);
  }
  return { isGenerated: false, path };
}

/** Indexes of an item in both lists. */
interface MergedItem {
  readonly generated?: number;
  readonly user?: number;
}

/** In the order of `mergeConfigs`. */
function mergedItems(
  field: ListField,
  type: StructType | undefined,
  { generated, user }: Layers,
): readonly MergedItem[] {
  const own = itemsOf(generated?.[field.name]);
  const users = itemsOf(user?.[field.name]);
  if (field.repeatable) {
    return [
      ...own.map((_item, index) => ({ generated: index })),
      ...users.map((_item, index) => ({ user: index })),
    ];
  }
  const owners = new Map<string, { readonly list: string; readonly index: number }>();
  for (const other of type?.fields ?? []) {
    if (other.kind !== 'list' || other.repeatable || other.keySpace !== field.keySpace) continue;
    for (const [index, item] of itemsOf(user?.[other.name]).entries()) {
      owners.set(itemKey(other.element, item), { list: other.name, index });
    }
  }
  const items: MergedItem[] = [];
  const keys = new Set<string>();
  for (const [index, item] of own.entries()) {
    const key = itemKey(field.element, item);
    const owner = owners.get(key);
    keys.add(key);
    if (owner === undefined) items.push({ generated: index });
    else if (owner.list === field.name) items.push({ generated: index, user: owner.index });
  }
  for (const [index, item] of users.entries()) {
    if (!keys.has(itemKey(field.element, item))) items.push({ user: index });
  }
  return items;
}
