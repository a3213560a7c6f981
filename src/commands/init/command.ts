/** Declares `init`. */

import { command } from '../../io/commandLine.ts';
import { initOptions, jobs } from './options.ts';

const jobLines = Object.entries(jobs).map(([job, text]) => `  ${job.padEnd(19)} ${text}`);

export const initCommand = command({
  description: 'Write an inventory with comments as a start, which is valid as it is',
  options: initOptions,
  details: `
Jobs:
${jobLines.join('\n')}

On a terminal, init asks for the job and for each option that is not given.
`,
  examples: `
  ironic-coreos init
  ironic-coreos init network-boot --api-url https://192.0.2.1 \\
    --agent-image registry.example.com/ipa --ssh-key ~/.ssh/id_ed25519.pub
`,
  load: async () => (await import('./init.ts')).init,
});
