/**
 * The `Range` field (RFC 9110, section 14). As the RFC allows, a field that is invalid or asks for several ranges is ignored:
 * every client can accept the whole content, and no BMC and no firmware asks for several.
 */

import type { ByteRange } from '../../../image/overlay.ts';

/**
 * @param field the value of `Range`, undefined without this field
 * @param size bytes of the whole; no range of an empty content exists, so its answer is the whole (as in Go's net/http)
 * @returns `unsatisfiable` if the range is behind the end
 */
export function parseRange(field: string | undefined, size: number): ByteRange | 'unsatisfiable' | 'whole' {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field ?? '') ?? [];
  if (size === 0 || (first === '' && last === '')) return 'whole';
  // Numbers that are not exact, or infinite, are larger than every size.
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { offset: size - length, length };
  }
  const [offset, end] = [Number(first), last === '' ? Infinity : Number(last)];
  if (offset > end) return 'whole';
  return offset < size ? { offset, length: Math.min(end + 1, size) - offset } : 'unsatisfiable';
}
