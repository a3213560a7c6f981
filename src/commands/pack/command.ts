/** Declares `pack`, the hidden command for builders of CoreOS releases. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, declareRun } from '../../io/commandLine.ts';

const NOTES = `
Both ISOs must come from the same build. The minimal ISO has neither the root
filesystem nor coreos/miniso.dat. The command writes the data to recreate the
minimal ISO to coreos/miniso.dat of the full ISO.
${EXIT_CODES}
Example:
  ironic-coreos pack minimal-iso --consume coreos.iso minimal.iso
`;

export function declarePack(pack: Command, context: Context): void {
  const command = pack
    .command('minimal-iso')
    .summary('Pack a minimal ISO into a full ISO')
    .description('Pack a minimal ISO into a full ISO, so that "iso extract minimal-iso" can extract it')
    .argument('<FULL_ISO>', 'full ISO of CoreOS; edited in place')
    .argument('<MINIMAL_ISO>', 'minimal ISO of the same build')
    .option('--consume', 'delete the minimal ISO on success');
  const run = async (fullIso: string, minimalIso: string, options: { readonly consume?: boolean }) =>
    (await import('./minimalIso.ts')).packMinimal({ ...options, fullIso, minimalIso }, context.io);
  declareRun(command, NOTES, run, context);
}
