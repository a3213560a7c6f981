/** Adds files, folders and links to a config; each path may occur once. */

import type { Path } from '../core/finding.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Config, Storage } from '../ignition/config.ts';
import { asString, itemsOf } from '../ignition/decode.ts';
import type { ButaneMembers } from './decode.ts';
import { type Generated, Sources } from './sources.ts';

/** The lists of a config with paths. */
export type NodeList = 'files' | 'directories' | 'links';

export class NodeTracker {
  readonly #base: Generated;
  readonly #sources = new Sources();
  readonly #lists: Readonly<Record<NodeList, ButaneMembers[]>>;
  readonly #indexes: Readonly<Record<NodeList, Map<string, number>>>;

  constructor(base: Generated) {
    this.#base = base;
    const { storage = {} } = base.config;
    const itemsIn = (list: NodeList): ButaneMembers[] =>
      itemsOf(storage[list])
        .filter(isMapping)
        .map((item) => ({ ...item }));
    this.#lists = { files: itemsIn('files'), directories: itemsIn('directories'), links: itemsIn('links') };
    const indexed = (list: NodeList) =>
      new Map(this.#lists[list].map((item, index) => [asString(item['path']), index]));
    this.#indexes = { files: indexed('files'), directories: indexed('directories'), links: indexed('links') };
  }

  has(path: string): boolean {
    return Object.values(this.#indexes).some((indexes) => indexes.has(path));
  }

  find(list: NodeList, path: string): ButaneMembers | undefined {
    const index = this.#indexes[list].get(path);
    return index === undefined ? undefined : this.#lists[list][index];
  }

  /** @param from where in the YAML the whole node is from */
  add(list: NodeList, node: ButaneMembers, from: Path): void {
    const index = this.#lists[list].length;
    this.#indexes[list].set(asString(node['path']), index);
    this.#lists[list].push(node);
    this.#sources.addAll(['storage', list, index], from);
    if (index === 0) this.#sources.add(['storage', list], from);
  }

  /** Adds `found` to a known node, or a new node with it. */
  put(
    list: NodeList,
    known: ButaneMembers | undefined,
    node: ButaneMembers,
    found: ButaneMembers,
    from: Path,
  ): void {
    if (known === undefined) {
      this.add(list, { ...node, ...found }, from);
      return;
    }
    const index = this.#indexes[list].get(asString(known['path'])) ?? 0;
    for (const name of Object.keys(found)) {
      if (known[name] === undefined || name === 'contents') this.setSource([list, index, name], from);
    }
    Object.assign(known, found);
  }

  /** Declares the source of a part of a node. */
  setSource(path: Path, from: Path): void {
    const to = ['storage', ...path];
    this.#sources.add(to, from);
    if (path.at(-1) !== 'contents') return;
    this.#sources.add([...to, 'source'], from);
    this.#sources.add([...to, 'compression'], from);
  }

  lengthOf(list: NodeList): number {
    return this.#lists[list].length;
  }

  result(): Generated {
    const storage: Storage & ButaneMembers = { ...this.#base.config.storage, ...this.#lists };
    const config: Config = { ...this.#base.config, storage };
    return { config, locate: (path) => this.#sources.find(path) ?? this.#base.locate(path) };
  }
}
