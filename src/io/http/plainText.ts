/** Text of clients, made harmless for logs and terminals. */

/**
 * Printable ASCII, other characters as `?`, cut after `limit` characters, which `...` says. A copy: a part of a text would
 * keep the whole of it in memory.
 */
export function plainText(text: string, limit: number): string {
  const plain = text.slice(0, limit).replace(/[^ -~]/g, '?');
  const copy = Buffer.from(plain, 'latin1').toString('latin1');
  return text.length > limit ? `${copy}...` : copy;
}
