/**
 * Reads the first document of a YAML text as a tree, in one pass over the events of js-yaml. Scalars are text, tags and merge
 * keys are as they are written, and aliases are nodes of their own: what they mean is different for the readers of ordinary
 * files (`../yaml.ts`) and for Butane. Refused for all: keys that are no scalars, and aliases that go round in circles or
 * blow up.
 */

import {
  CHOMPING_MODE,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml';
import type {
  DocumentNode,
  MappingEntry,
  MappingNode,
  ScalarNode,
  SequenceNode,
  ValueNode,
} from '../documentTree.ts';
import { explainedError, sentence, yamlError } from './errors.ts';

export interface YamlTree {
  /** Undefined for an empty text. */
  readonly root: DocumentNode | undefined;
  /** The text continues with another document. */
  readonly hasMore: boolean;
}

/** Number of values after the expansion of all aliases: the number that a reader walks. */
const MAX_VALUES = 2_000_000;
/** Of collections in collections; deeper input is not meant for any reader here. */
const MAX_DEPTH = 64;
/** The same after the expansion of all aliases: readers follow values by recursion. */
const MAX_EXPANDED_DEPTH = 2 * MAX_DEPTH;

/** @throws FormatError with a position */
export function readYamlTree(text: string): YamlTree {
  const reader = new Reader(text, readEvents(text));
  return { root: reader.readNode(), hasMore: reader.hasMore };
}

function readEvents(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    throw explainedError(text, error);
  }
}

class Reader {
  readonly #text: string;
  readonly #events: readonly Event[];
  /** The first event is that of the document. */
  #next = 1;
  /** The end of what has been read, in the text. */
  #end = 0;
  #values = 1;
  /** Collections around the value that is read. */
  #depth = 0;
  /** The depth of the deepest value of the one that is read, aliases expanded. */
  #deepest = 0;
  /** Complete values, how many values each contains, itself included, and how many levels are below it. */
  readonly #anchors = new Map<
    string,
    { readonly node: ValueNode; readonly values: number; readonly levels: number }
  >();

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  /** After the root has been read, only the end of its document may follow. */
  get hasMore(): boolean {
    return this.#next + 1 < this.#events.length;
  }

  /** Undefined at the end of a collection. Recursion is bounded by the depth of the events. */
  readNode(): DocumentNode | undefined {
    const event = this.#events[this.#next];
    if (event === undefined) return undefined;
    this.#next += 1;
    if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return undefined;
    const anchor = this.#text.slice(event.anchorStart, event.anchorEnd);
    if (event.type === EVENT_ID.ALIAS) return this.#readAlias(anchor, event.anchorStart - 1);
    const { values, deepest } = { values: this.#values, deepest: this.#deepest };
    this.#deepest = this.#depth;
    this.#anchors.delete(anchor);
    const node = event.type === EVENT_ID.SCALAR ? this.#readScalar(event) : this.#readCollection(event);
    if (anchor !== '') {
      const levels = this.#deepest - this.#depth;
      this.#anchors.set(anchor, { node, values: this.#values - values + 1, levels });
    }
    this.#deepest = Math.max(deepest, this.#deepest);
    return node;
  }

  #readAlias(anchor: string, start: number): DocumentNode {
    const target = this.#anchors.get(anchor);
    if (target === undefined) {
      const message = sentence('an alias must refer to a complete value before it');
      const hint = 'put the value in quotes if it is text that starts with *';
      throw yamlError(this.#text, message, start, hint);
    }
    this.#values += target.values - 1;
    this.#deepest = Math.max(this.#deepest, this.#depth + target.levels);
    this.#end = start + 1 + anchor.length;
    return { kind: 'alias', start, end: this.#end, target: target.node };
  }

  #readCollection(event: MappingEvent | SequenceEvent): MappingNode | SequenceNode {
    const { start } = event;
    this.#end = Math.max(this.#end, start);
    const style = event.style === COLLECTION_STYLE.FLOW ? 'flow' : 'block';
    const properties = this.#propertiesOf(event);
    this.#depth += 1;
    if (event.type === EVENT_ID.SEQUENCE) {
      const items: DocumentNode[] = [];
      for (let item = this.readNode(); item !== undefined; item = this.readNode()) {
        this.#checkExpansion(item);
        items.push(item);
      }
      this.#depth -= 1;
      return { kind: 'sequence', start, end: this.#end, style, items, ...properties };
    }
    const entries: MappingEntry[] = [];
    for (let key = this.readNode(); key !== undefined; key = this.readNode()) {
      if (key.kind !== 'scalar') {
        throw yamlError(this.#text, sentence('a key must be a plain string'), key.start);
      }
      const value = this.readNode();
      if (value === undefined) break;
      this.#checkExpansion(value);
      entries.push({ key, value });
    }
    this.#depth -= 1;
    return { kind: 'mapping', start, end: this.#end, style, entries, ...properties };
  }

  #checkExpansion({ start }: DocumentNode): void {
    this.#values += 1;
    if (this.#values <= MAX_VALUES && this.#deepest <= MAX_EXPANDED_DEPTH) return;
    throw yamlError(this.#text, sentence('its aliases expand to too much data'), start);
  }

  #readScalar(event: ScalarEvent): ScalarNode {
    const style = scalarStyles[event.style];
    const isBlock = style === 'literal' || style === 'folded';
    const quote = style === 'single-quoted' || style === 'double-quoted' ? 1 : 0;
    const start = isBlock
      ? this.#indicatorBefore(event.valueStart)
      : event.valueStart < 0
        ? this.#startOfMissing()
        : event.valueStart - quote;
    const end = Math.max(start, event.valueEnd + quote);
    this.#end = Math.max(this.#end, end, event.anchorEnd, event.tagEnd);
    return {
      kind: 'scalar',
      start,
      end,
      text: this.#textOf(event, isBlock),
      style,
      ...(isBlock && { block: { contentStart: event.valueStart, indent: event.indent } }),
      ...this.#propertiesOf(event),
    };
  }

  /**
   * js-yaml adds a line feed to a block at the end of a text without a last one; YAML 1.2 ("Line Folding") and Go do not.
   */
  #textOf(event: ScalarEvent, isBlock: boolean): string {
    const isCut = isBlock && event.valueEnd === this.#text.length && !/[\r\n]$/.test(this.#text);
    return getScalarValue(this.#text, isCut ? { ...event, chomping: CHOMPING_MODE.STRIP } : event);
  }

  /** The `|` or `>` on the line before a block. */
  #indicatorBefore(contentStart: number): number {
    const lineStart = this.#text.lastIndexOf('\n', contentStart - 2) + 1;
    const line = this.#text.slice(lineStart, contentStart);
    const found = line.search(/[|>][-+0-9]{0,2}(?:[ \t]+#[^\n]*)?[ \t\r]*\n?$/);
    return found < 0 ? contentStart : lineStart + found;
  }

  #startOfMissing(): number {
    const before = /(?:\s|#[^\n]*(?=\n|$))*[:-]/y;
    before.lastIndex = this.#end;
    return before.test(this.#text) ? before.lastIndex : this.#end;
  }

  #propertiesOf({
    anchorStart,
    tagEnd,
    tagStart,
  }: MappingEvent | ScalarEvent | SequenceEvent): Pick<ScalarNode, 'propertiesStart' | 'tag'> | undefined {
    if (tagStart < 0) return anchorStart < 0 ? undefined : { propertiesStart: anchorStart - 1 };
    const propertiesStart = anchorStart < 0 ? tagStart : Math.min(anchorStart - 1, tagStart);
    return { propertiesStart, tag: shortTag(this.#text.slice(tagStart, tagEnd)) };
  }
}

const scalarStyles: Readonly<Record<ScalarEvent['style'], ScalarNode['style']>> = {
  [SCALAR_STYLE.PLAIN]: 'plain',
  [SCALAR_STYLE.SINGLE_QUOTED]: 'single-quoted',
  [SCALAR_STYLE.DOUBLE_QUOTED]: 'double-quoted',
  [SCALAR_STYLE.LITERAL_BLOCK]: 'literal',
  [SCALAR_STYLE.FOLDED_BLOCK]: 'folded',
};

/** `!<tag:yaml.org,2002:int>` is `!!int`. */
function shortTag(written: string): string {
  return written.replace(/^!<(.*)>$/s, '$1').replace(/^tag:yaml\.org,2002:/, '!!');
}
