/** Reads the events of a YAML text with js-yaml, and corrects its mistakes, for all readers. */

import { CHOMPING_MODE, EVENT_ID, type Event, parseEvents, SCALAR_STYLE } from 'js-yaml';
import { MAX_DEPTH } from './places.ts';

/** @throws YAMLException for invalid YAML */
export function readEvents(text: string): Event[] {
  const events = parseEvents(text, { maxDepth: MAX_DEPTH });
  if (/[\r\n]$/.test(text)) return events;
  // js-yaml adds a line feed to a block at the end of a text without a last one; YAML 1.2 ("Line Folding") and Go do not.
  return events.map((event) => {
    const isLastBlock =
      event.type === EVENT_ID.SCALAR &&
      (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK) &&
      event.valueEnd === text.length;
    return isLastBlock ? { ...event, chomping: CHOMPING_MODE.STRIP } : event;
  });
}
