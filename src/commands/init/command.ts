/** Declares `init`. */

import { command, EXIT_CODES } from '../../io/commandLine.ts';
import { initOptions, jobs } from './options.ts';

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

export const initCommand = command({
  description: 'Write an inventory with comments as a start, which is valid as it is',
  options: initOptions,
  notes: NOTES,
  load: async () => (await import('./init.ts')).init,
});
