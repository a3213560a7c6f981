/** Content as programs have it. */

import { CliError } from '../core/errors.ts';

/**
 * Text is UTF-8.
 * @param name of the argument or its member, for messages
 * @throws CliError for other values, which callers without types may pass
 */
export function bytesOf(content: string | Uint8Array, name: string): Buffer {
  requireContent(content, name);
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** @throws CliError for a value that is neither text nor bytes */
export function requireContent(value: unknown, name: string): void {
  if (typeof value === 'string' || ArrayBuffer.isView(value)) return;
  const problem = value === undefined || value === null ? 'is missing' : 'is neither a string nor bytes';
  throw new CliError(`${name} ${problem}`, {
    code: 'ERR_SETTING',
    hint: `pass a string or a Uint8Array as ${name}`,
  });
}
