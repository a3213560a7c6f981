/** Percent escapes (%41), the part that all kinds of URLs share. */

/** Whether the byte or character code is a hexadecimal digit; NaN, past the end of a text, is none. */
export function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

/** The bytes that escaped `bytes` stand for. All escapes must be well-formed; the argument is overwritten. */
export function unescapeInPlace(bytes: Buffer): Buffer {
  let length = 0;
  for (let index = 0; index < bytes.length; length++) {
    const byte = bytes[index] ?? 0;
    const isEscape = byte === percent;
    bytes[length] = isEscape ? hexValue(bytes[index + 1]) * 16 + hexValue(bytes[index + 2]) : byte;
    index += isEscape ? 3 : 1;
  }
  return bytes.subarray(0, length);
}

const percent = 0x25;

function hexValue(digit = 0x30): number {
  return digit <= 0x39 ? digit - 0x30 : (digit & 0xf) + 9;
}
