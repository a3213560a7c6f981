/** The architectures of hosts and images, by the names that Ironic, Metal3 and CoreOS agree on. */

export const architectures = ['x86_64', 'aarch64', 'ppc64le', 's390x'] as const;

export type Architecture = (typeof architectures)[number];
