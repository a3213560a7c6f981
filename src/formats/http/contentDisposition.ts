/** `Content-Disposition` of what is to be saved as a file (RFC 6266). */

/** Names outside of printable ASCII are given twice: for old clients with underscores in place of the other characters. */
export function formatAttachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]/gu, '_');
  const quoted = plain.replace(/["\\]/g, String.raw`\$&`);
  const extended = plain === fileName ? '' : `; filename*=UTF-8''${escapeExtended(fileName)}`;
  return `attachment; filename="${quoted}"${extended}`;
}

/** The characters that RFC 8187 leaves as they are. */
const unescaped = /^[A-Za-z0-9!#$&+.^_`|~-]$/;

function escapeExtended(text: string): string {
  const characters = Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte);
    return unescaped.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return characters.join('');
}
