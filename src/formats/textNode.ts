/** Values of a text together with their places, whatever notation the text has. Places are offsets into the text. */

export interface Span {
  readonly start: number;
  /** Behind the last one. */
  readonly end: number;
}

/** A value. Scalars that are no strings have their text, too: `12`, `true`. */
export type TextNode =
  | { readonly kind: 'object'; readonly entries: () => Iterable<readonly [key: string, value: TextNode]> }
  | { readonly kind: 'list'; readonly items: () => Iterable<TextNode> }
  | ScalarNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  /** Without quotes. */
  readonly span: Span;
  readonly text: string;
  /** The place of a part of `text`, which may be written longer than it is. */
  readonly locate: (part: Span) => Span;
  /** Of a block scalar of YAML, whose lines are in `span` with their indentation. */
  readonly block?: BlockStyle;
}

export interface BlockStyle {
  /** Number of blanks before each line. */
  readonly indent: number;
  /** Line breaks are spaces. */
  readonly isFolded: boolean;
}
