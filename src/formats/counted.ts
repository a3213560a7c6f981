/** Numbers of things in sentences. */

/** `1 host`, `2 hosts` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
