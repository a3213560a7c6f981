/** The choice between text for people and JSON for programs, of commands that know no other format. */

import { parseFormat } from './nearestNames.ts';

export type TextOrJson = 'text' | 'json';

/**
 * @param format as the user gave it; `text` when it is left out
 * @throws UsageError for any other
 */
export function parseTextOrJson(format: string | undefined): TextOrJson {
  return parseFormat(format, ['text', 'json']);
}

/** A value as JSON over several lines, ready to be written. */
export function jsonLines(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}
