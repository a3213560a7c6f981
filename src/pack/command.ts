/** Declares `pack`, for those who build releases; not shown to others. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, declareRun } from '../io/commandLine.ts';

const NOTES = `
Both ISOs come from one build; the minimal one lacks the root filesystem and
coreos/miniso.dat, into which the full ISO takes what it needs to make it.
${EXIT_CODES}
Examples:
  ironic-coreos pack minimal-iso --consume coreos.iso minimal.iso
`;

export function declarePack(pack: Command, context: Context): void {
  const command = pack
    .command('minimal-iso')
    .summary('pack a minimal ISO into a live ISO')
    .description('Packs a minimal ISO into a live ISO, from which it can then be extracted.')
    .argument('<FULL_ISO>', 'live ISO of CoreOS, which is changed')
    .argument('<MINIMAL_ISO>', 'the same without root filesystem')
    .option('--consume', 'delete the minimal ISO afterwards');
  const run = async (fullIso: string, minimalIso: string, options: { readonly consume?: boolean }) =>
    (await import('./minimalIso.ts')).packMinimal({ ...options, fullIso, minimalIso }, context.io);
  declareRun(command, NOTES, run, context);
}
