/** Architectures by the names that CoreOS gives them, which are those of `uname -m`. */

/** @param arch as Node names it: `x64`, `arm64` */
export function machineName(arch: string): string {
  return NAMES.get(arch) ?? arch;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['x64', 'x86_64'],
  ['arm64', 'aarch64'],
  ['ppc64', 'ppc64le'], // Node has no big-endian build for it any more
]);
