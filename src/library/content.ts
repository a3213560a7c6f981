/** Content as programs have it. */

import { CliError } from '../core/errors.ts';

/**
 * Text is UTF-8.
 * @param name of the argument or its member, for messages
 * @throws CliError for other values, which callers without types may pass
 */
export function bytesOf(content: string | Uint8Array, name: string): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (ArrayBuffer.isView(content)) {
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  }
  throw notContent(content, name);
}

/** The error for a value that is neither text nor bytes. */
export function notContent(value: unknown, name: string): CliError {
  const problem = value === undefined || value === null ? 'is missing' : 'is neither a string nor bytes';
  return new CliError(`${name} ${problem}`, {
    code: 'ERR_SETTING',
    hint: `pass a string or a Uint8Array as ${name}`,
  });
}
