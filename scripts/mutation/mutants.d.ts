/** A change of a source. */
export interface Change {
  /** Offset of what is replaced. */
  readonly start: number;
  readonly end: number;
  /** What replaces it. */
  readonly text: string;
}

/** A change, and where it is. */
export interface Mutant extends Change {
  /** From 1. */
  readonly line: number;
  /** The nearest function around it that has a name. */
  readonly functionName: string | undefined;
}

/** All small changes that a test should notice, in the order of the source. */
export function mutantsOf(source: string): Mutant[];
