/** Removes characters at the ends of texts in linear time, which patterns such as `/ +$/` do not: they start at every blank. */

/** The text without these characters at both ends. */
export function trimOf(text: string, characters: string): string {
  return trimStartOf(trimEndOf(text, characters), characters);
}

export function trimStartOf(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}

export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
