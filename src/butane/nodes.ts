/** Adds files, folders and links to a config; each path may occur once. */

import type { Path } from '../core/finding.ts';
import { asMappings, type Mapping } from '../formats/mapping.ts';
import type { Config, Storage } from '../ignition/config.ts';
import { asString } from '../ignition/decode.ts';
import { madeOf } from '../ignition/origins.ts';
import { withMade } from './sources.ts';

const lists = ['files', 'directories', 'links'] as const;

/** The lists of a config with paths. */
type NodeList = (typeof lists)[number];

export class NodeTracker {
  readonly #base: Config;
  readonly #nodes: Readonly<Record<NodeList, Mapping[]>> = { files: [], directories: [], links: [] };
  /** By list and path. */
  readonly #indexes = new Map<string, number>();

  constructor(base: Config) {
    this.#base = base;
    for (const list of lists) {
      for (const node of asMappings(base.storage?.[list])) this.add(list, node);
    }
  }

  has(path: string): boolean {
    return lists.some((list) => this.find(list, path) !== undefined);
  }

  find(list: NodeList, path: string): Mapping | undefined {
    return this.#nodes[list][this.#indexes.get(`${list} ${path}`) ?? -1];
  }

  add(list: NodeList, node: Mapping): void {
    this.#indexes.set(`${list} ${asString(node['path'])}`, this.#nodes[list].length);
    this.#nodes[list].push(node);
  }

  /** Gives a known node other values, which are from this place in the YAML. */
  change(list: NodeList, node: Mapping, values: Mapping, from: Path): void {
    this.#nodes[list][this.#nodes[list].indexOf(node)] = withMade(node, values, from);
  }

  result(): Config {
    const { storage = {} } = this.#base;
    const nodes = Object.fromEntries(lists.map((list) => [list, madeOf(this.#nodes[list], storage[list])]));
    const changed: Storage = madeOf({ ...storage, ...nodes }, storage);
    return madeOf({ ...this.#base, storage: changed }, this.#base);
  }
}
