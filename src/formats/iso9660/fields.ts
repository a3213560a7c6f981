/**
 * The kinds of fields that ISO 9660 structures are made of: numbers in both byte orders, padded text, dates. Section
 * numbers here and beside are those of ECMA-119.
 */

/** Bytes. Other block sizes exist in the standard and on no live image. */
export const SECTOR = 2048;

/** Sectors before the first volume descriptor; boot code and partition tables live there. */
export const SYSTEM_AREA_SECTORS = 16;

/** What shows an ISO, whatever its first bytes are: the identifier of its first descriptor (8.1). `offset` in bytes. */
export const ISO_MARK = { offset: SYSTEM_AREA_SECTORS * SECTOR + 1, text: 'CD001' } as const;

/** The least bytes of a file that show an ISO. */
export const ISO_MARK_END = ISO_MARK.offset + ISO_MARK.text.length;

/** Sectors that so many bytes take. */
export function sectorsFor(bytes: number): number {
  return Math.ceil(bytes / SECTOR);
}

/** The same memory, for numbers of several bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** 7.2.3: a 16-bit number, little endian, then big endian. */
export function putBoth16(view: DataView, offset: number, value: number): void {
  view.setUint16(offset, value, true);
  view.setUint16(offset + 2, value, false);
}

/** 7.3.3: a 32-bit number, little endian, then big endian. */
export function putBoth32(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value, true);
  view.setUint32(offset + 4, value, false);
}

/** One byte a character; what other programs put there beyond ASCII stays distinguishable. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The other way round. */
export function encodeLatin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** UTF-16, big endian, as Joliet writes names; half a character at the end is dropped. */
export function decodeUcs2(bytes: Uint8Array): string {
  const swapped = Buffer.from(bytes.subarray(0, bytes.length & ~1));
  return swapped.swap16().toString('utf16le');
}

/** 8.4.26.1: a moment as 16 digits down to hundredths of a second, then the offset from UTC (always 0 here). */
export function longDate(date: Date): Uint8Array {
  const digits = date.toISOString().replaceAll(/[-:.TZ]/g, '');
  return Uint8Array.from([...Buffer.from(digits.slice(0, 16), 'latin1'), 0]);
}

/** 9.1.5: a moment in seven bytes. Years before 1900 and after 2155 have no form and are clamped. */
export function shortDate(date: Date): Uint8Array {
  const year = Math.min(Math.max(date.getUTCFullYear() - 1900, 0), 255);
  return Uint8Array.of(
    year,
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
    0,
  );
}
