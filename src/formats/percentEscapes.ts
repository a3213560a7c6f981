/** Percent escapes (`%41`), the part that all kinds of URLs share. */

/** A percent sign with fewer than two hexadecimal digits. */
export const BAD_ESCAPE = /%[0-9A-Fa-f]?(?![0-9A-Fa-f])/;

/** Why the escapes of a text are invalid, as a clause. */
export function escapeProblem(text: string): string | undefined {
  return BAD_ESCAPE.test(text)
    ? 'a percent sign is not followed by two hexadecimal digits (write %25 for the sign itself)'
    : undefined;
}

/** Decodes the escapes in `bytes`. All escapes must be well-formed; the argument is overwritten. */
export function unescapeInPlace(bytes: Buffer): Buffer {
  let length = 0;
  for (let index = 0; index < bytes.length; length++) {
    const byte = bytes[index] ?? 0;
    const isEscape = byte === PERCENT;
    bytes[length] = isEscape ? hexValue(bytes[index + 1]) * 16 + hexValue(bytes[index + 2]) : byte;
    index += isEscape ? 3 : 1;
  }
  return bytes.subarray(0, length);
}

const PERCENT = 0x25;

function hexValue(digit = 0x30): number {
  return digit <= 0x39 ? digit - 0x30 : (digit & 0xf) + 9;
}
