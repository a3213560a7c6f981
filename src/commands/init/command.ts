/** Declares `init`. */

import type { Command } from 'commander';
import { argumentRun, type Context, declareOptions, declareRun, EXIT_CODES } from '../../io/commandLine.ts';
import { jobs } from './jobs.ts';

const NOTES = `
Jobs:
${Object.entries(jobs)
  .map(([job, text]) => `  ${job.padEnd(19)} ${text}`)
  .join('\n')}

On a terminal, init asks for the job and for each option that is not given.
${EXIT_CODES}
Examples:
  ironic-coreos init
  ironic-coreos init network-boot --api-url https://192.0.2.1 \\
    --agent-image registry.example.com/ipa --ssh-key ~/.ssh/id_ed25519.pub
`;

export function declareInit(command: Command, context: Context): void {
  command
    .description('Write an inventory with comments as a start, which is valid as it is')
    .argument('[JOB]', `what the hosts do: ${Object.keys(jobs).join(', ')}`);
  declareOptions(command, {
    '--api-url <urls>': 'URLs of Ironic (default: https://192.0.2.1, an example)',
    '--agent-image <image>': 'agent container image (default: registry.example.com/ironic-agent, an example)',
    '--ssh-key <text|file>': 'public SSH key for SSH login as core',
    '-o, --output <file>':
      'file to write, which must not exist, or - for standard output (default: ramdisk.yaml)',
  });
  declareRun(
    command,
    NOTES,
    argumentRun(['job'], context, async () => (await import('./init.ts')).init),
    context,
  );
}
