/** Kernel arguments: one with its name and value, and the arguments and quotes of a line. */

import type { Path } from '../core/finding.ts';

export interface KernelArgument {
  /** `ip` of `ip=dhcp`. */
  readonly name: string;
  /** `dhcp` of `ip=dhcp`; undefined for an argument without `=`. */
  readonly value?: string | undefined;
  readonly text: string;
  /** The setting that it comes from, as a path in `BootSettings`; empty for those without a setting. */
  readonly path: Path;
}

export function parseArgument(text: string, path: Path = []): KernelArgument {
  const equals = text.indexOf('=');
  return equals === -1
    ? { name: text, text, path }
    : { name: text.slice(0, equals), value: text.slice(equals + 1), text, path };
}

/** The arguments of a line, without paths. */
export function parseArguments(line: string): readonly KernelArgument[] {
  return splitArguments(line).map((text) => parseArgument(text));
}

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

/** Whether iPXE replaces a part of the value with a setting of the machine, such as `${net0/ip}`, which is not known here. */
export function hasIpxeSetting(value: string): boolean {
  return value.includes('${');
}

/**
 * Whether all quotes are closed, for the kernel and for GRUB, whose menus are shell scripts: a backslash escapes the next
 * character except in single quotes, and each kind of quotes protects the other.
 */
export function isClosed(line: string): boolean {
  const isClosedInGrub = /^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s.test(line);
  return isClosedInGrub && line.split('"').length % 2 === 1;
}
