/**
 * A document as a tree of its values, in the notation of JSON or YAML. Offsets count bytes in JSON and UTF-16 code units in
 * YAML. They are those of the text itself: what another program reports as the place of a value (vcontext points behind an
 * opening bracket, yaml.v3 at an anchor or tag) is left to the code that speaks for that program.
 */

import type { Path } from '../core/finding.ts';
import type { Span } from '../core/spans.ts';

export type DocumentNode = MappingNode | SequenceNode | ScalarNode | AliasNode;

interface NodeBase extends Span {
  /** In YAML, where its anchor or tag begins, if it has one: then `start` is behind them. */
  readonly propertiesStart?: number;
  /** In YAML, in its short form, if it has one: `!!int`, `!name`. */
  readonly tag?: string;
}

/**
 * A flow collection starts at its bracket, a block mapping at its first key, and a block sequence at its first dash. In YAML,
 * collections end with their last value.
 */
interface CollectionBase extends NodeBase {
  /** Collections of JSON are always `flow`. */
  readonly style: 'flow' | 'block';
}

export interface MappingNode extends CollectionBase {
  readonly kind: 'mapping';
  /** As they are written: repeated keys and merge keys are still there. */
  readonly entries: readonly MappingEntry[];
}

export interface MappingEntry {
  readonly key: ScalarNode;
  readonly value: DocumentNode;
}

export interface SequenceNode extends CollectionBase {
  readonly kind: 'sequence';
  readonly items: readonly DocumentNode[];
}

export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar';
  /** Without quotes, escapes and indentation. A number or word is as it is written: `12`, `1e3`, `null`. */
  readonly text: string;
  /**
   * Strings of JSON are `double-quoted`, its numbers and words `plain`. Quotes and the indicator of a block belong to the span.
   * A missing value of YAML is `plain` and empty; it is behind its colon or dash.
   */
  readonly style: 'plain' | 'single-quoted' | 'double-quoted' | 'literal' | 'folded';
  /** Of a literal or folded scalar. */
  readonly block?: BlockLayout;
}

interface BlockLayout {
  /** Where the line below the indicator begins. */
  readonly contentStart: number;
  /** Number of blanks before each line. */
  readonly indent: number;
}

/** Only in YAML. */
interface AliasNode extends Span {
  readonly kind: 'alias';
  /** The node with the anchor, which is complete before the alias. */
  readonly target: ValueNode;
}

export type ValueNode = Exclude<DocumentNode, AliasNode>;

export function targetOf(node: DocumentNode): ValueNode {
  return node.kind === 'alias' ? node.target : node;
}

/** Where a node begins with its anchor and tag. */
export function outerStart(node: DocumentNode): number {
  return node.kind === 'alias' ? node.start : (node.propertiesStart ?? node.start);
}

/** The text of a scalar in which parts are looked for, such as secrets. */
export interface ScalarText {
  readonly text: string;
  /** The place of the text in the document, without quotes. */
  readonly span: Span;
  /** Whether each character has the same place in the text and in the span. False if the scalar is written with escapes. */
  readonly isVerbatim: boolean;
}

/** The deepest node on the path that exists. Aliases are not followed. */
export function deepestNode(root: DocumentNode, path: Path): DocumentNode {
  let node = root;
  for (const step of path) {
    const child = childAt(node, step);
    if (child === undefined) break;
    node = child;
  }
  return node;
}

/** The item with this index, or the value of this key; of repeated keys, the last one counts. */
export function childAt(node: DocumentNode, step: string | number): DocumentNode | undefined {
  if (node.kind === 'sequence') return typeof step === 'number' ? node.items[step] : undefined;
  return node.kind === 'mapping' && typeof step === 'string' ? lastEntry(node, step)?.value : undefined;
}

/** The last entry with this key. A document may have many findings, so its mappings are indexed when they are first searched. */
export function lastEntry(mapping: MappingNode, key: string): MappingEntry | undefined {
  const index = entryIndexes.get(mapping) ?? new Map(mapping.entries.map((entry) => [entry.key.text, entry]));
  entryIndexes.set(mapping, index);
  return index.get(key);
}

const entryIndexes = new WeakMap<MappingNode, ReadonlyMap<string, MappingEntry>>();
