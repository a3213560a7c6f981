/** Removes characters at the ends of texts in linear time, which patterns such as `/ +$/` do not: they start at every blank. */

/** Without these characters at its end. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

/** Without these characters at both ends. */
export function trimOf(text: string, characters: string): string {
  const end = trimEndOf(text, characters);
  let start = 0;
  while (start < end.length && characters.includes(end.charAt(start))) start += 1;
  return start === 0 ? end : end.slice(start);
}
