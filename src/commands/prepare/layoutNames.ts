/** Names of the layouts. In a separate file, because the declaration of the command needs nothing else. */

export const layoutNames = ['folder', 'metal3', 'bifrost'] as const;

export type LayoutName = (typeof layoutNames)[number];
