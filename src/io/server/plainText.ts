/** Text of clients, made harmless for logs and terminals. */

/** Printable ASCII, other characters as `?`, cut after `limit` characters, which `...` says. */
export function plainText(text: string, limit: number): string {
  const plain = text.slice(0, limit).replace(/[^ -~]/g, '?');
  return text.length > limit ? `${plain}...` : plain;
}
