/** Declares `iso reset`. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, refuseRepeatedOptions } from '../io/commandLine.ts';
import { declareResult, ISO, type ResultOptions } from '../customize/outputOptions.ts';

const NOTES = `
The result has the bytes of the release. An image whose areas cannot be read, or
whose boot loaders have different kernel arguments, is refused; --force repairs
it.
${EXIT_CODES}
Examples:
  ironic-coreos iso reset coreos.iso
  ironic-coreos iso reset --force -o repaired.iso coreos.iso
`;

interface ParsedReset extends ResultOptions {
  readonly force?: boolean;
}

export function declareIsoReset(command: Command, context: Context): void {
  command
    .description('Takes out all that is embedded in a live ISO, and puts the default kernel arguments back.')
    .argument('<ISO>', ISO)
    .option('-f, --force', 'reset the areas whatever they hold');
  declareResult(command)
    .addHelpText('after', NOTES)
    .action(async (path: string, options: ParsedReset) => {
      const { reset } = await import('./reset.ts');
      context.finish(await reset({ ...options, iso: path }, context.io));
    });
  refuseRepeatedOptions(command);
}
