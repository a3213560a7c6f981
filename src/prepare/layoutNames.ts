/** The layouts of a prepared folder, apart from what they ask for, as the declaration of the command needs no more. */

export const layoutNames = ['folder', 'metal3', 'bifrost'] as const;

export type LayoutName = (typeof layoutNames)[number];
