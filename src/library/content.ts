/** Content as programs have it. */

/** Text is UTF-8. */
export function bytesOf(content: string | Uint8Array): Buffer {
  return typeof content === 'string'
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
