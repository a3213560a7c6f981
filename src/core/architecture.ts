/** The architectures of hosts and images, by the names that Ironic, Metal3 and CoreOS agree on. */

export const architectures = ['x86_64', 'aarch64', 'ppc64le', 's390x'] as const;

export type Architecture = (typeof architectures)[number];

/** @param arch as in `process.arch`, `x64`, or as in Go, `amd64` */
export function machineName(arch: string): string {
  return names.get(arch) ?? arch;
}

const names: ReadonlyMap<string, Architecture> = new Map([
  ['x64', 'x86_64'],
  ['amd64', 'x86_64'],
  ['arm64', 'aarch64'],
  ['ppc64', 'ppc64le'], // Node has no big-endian build for it any more
]);
