/** Recognizes Butane documents. */

/** Without parsing it: most configs are JSON. */
export function mayBeButane(path: string, document: Buffer): boolean {
  if (/\.(?:bu|butane)$/i.test(path)) return true;
  if (!document.includes('variant')) return false;
  const text = document.toString('latin1');
  return /^\s*\{/.test(text) || /^["']?variant["']?[ \t]*:/m.test(text);
}
