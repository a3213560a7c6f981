/** Declares `quickstart`. */

import { command } from '../../io/commandLine.ts';
import { quickstartOptions } from './options.ts';

export const quickstartCommand = command({
  description:
    'Run the whole workflow once with sample data: render a config, validate it, embed it in a small sample ISO, ' +
    'print it from the ISO, and write the files for network boot. Requires no network and no other program.',
  options: quickstartOptions,
  examples: `
  ironic-coreos quickstart
  ironic-coreos quickstart -C /tmp/try-it
`,
  load: async () => (await import('./quickstart.ts')).quickstart,
});
