/** The quotes of a line of kernel arguments, as the kernel and the boot loaders read them. */

/**
 * Splits arguments like the kernel (next_arg of lib/cmdline.c): white space separates arguments, except between double quotes;
 * single quotes are ordinary characters. The quotes are kept.
 */
export function splitArguments(line: string): readonly string[] {
  return line.match(/(?:"[^"]*(?:"|$)|[^\s"])+/g) ?? [];
}

/** Whether the kernel gets a text as one argument: printable ASCII, with single spaces in a value in double quotes: iPXE joins several. */
export function isOneArgument(text: string): boolean {
  return /^(?:[!#-~]*|[\w.-]+="[!#-~]*(?: [!#-~]+)*")$/.test(text);
}

/**
 * Whether all quotes are closed, for the kernel and for GRUB, whose menus are shell scripts: a backslash escapes the next
 * character except in single quotes, and each kind of quotes protects the other.
 */
export function isClosed(line: string): boolean {
  const isClosedInGrub = /^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s.test(line);
  return isClosedInGrub && line.split('"').length % 2 === 1;
}
