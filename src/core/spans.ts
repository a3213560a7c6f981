/** Parts of a text by their places. */

/** A part of a text; `end` is behind its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The places of all matches: of the whole match, or of its group `value`, which follows the group `before`. A lookbehind of
 * any length in place of `before` would take quadratic time.
 */
export function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), ({ 0: match, index, groups }) => {
    const start = index + (groups?.['before'] ?? '').length;
    return { start, end: start + (groups?.['value'] ?? match).length };
  });
}

/** In order; overlapping ranges are joined. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || span.start > last.end) joined.push(span);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return joined;
}

/** Replaces the parts of the text at these spans, which are sorted. */
export function overwrite(text: string, spans: readonly Span[], replace: (part: string) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const span of spans) {
    if (span.start < end) continue;
    parts.push(text.slice(end, span.start), replace(text.slice(span.start, span.end)));
    ({ end } = span);
  }
  return parts.join('') + text.slice(end);
}
