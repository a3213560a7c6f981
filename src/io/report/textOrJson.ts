/** The choice between text for people and JSON for programs, of commands that know no other format. */

import { UsageError } from '../../core/errors.ts';
import { hintChoices } from './nearestNames.ts';

export type TextOrJson = 'text' | 'json';

/**
 * @param format as the user gave it; `text` when it is left out
 * @throws UsageError for any other
 */
export function parseTextOrJson(format: string | undefined): TextOrJson {
  if (format === undefined || format === 'text') return 'text';
  if (format === 'json') return 'json';
  throw new UsageError(`unknown format: ${format}`, { hint: hintChoices(format, ['text', 'json']) });
}

/** A value as JSON over several lines, ready to be written. */
export function jsonLines(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}
