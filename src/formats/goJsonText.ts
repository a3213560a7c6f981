/**
 * Whether Go's `encoding/json` would decode a text into `any`. That is JSON as `JSON.parse` has it, except that Go refuses
 * numbers beyond a 64-bit float and deep nesting. The value itself is not returned.
 */

const maxDepth = 10_000;

/** Whether `text` is one JSON value that Go can hold. */
export function isGoJsonText(text: string): boolean {
  return isJson(text) && isWithinLimits(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Every number is looked at, also one whose key is repeated later on; `text` is known to be JSON. */
function isWithinLimits(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') index = stringEnd(text, index);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '-' || isDigit(character)) {
      const end = numberEnd(text, index);
      if (!Number.isFinite(Number(text.slice(index, end)))) return false;
      index = end - 1;
    }
    if (depth > maxDepth) return false;
  }
  return true;
}

function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}

function numberEnd(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && (isDigit(text.charAt(index)) || '+-.eE'.includes(text.charAt(index))))
    index += 1;
  return index;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}
