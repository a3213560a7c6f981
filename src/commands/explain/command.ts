/** Declares `explain`. */

import { command } from '../../io/commandLine.ts';
import { explainOptions } from './options.ts';

export const explainCommand = command({
  description: 'Explain an ID in a report, status or event, or a line on a console, or list all IDs',
  options: explainOptions,
  details: `
Without an argument, explain reads the lines of a console from standard input,
or lists all IDs.
`,
  exitCodes: {
    1: 'failure: no line on standard input shows a problem',
    2: 'usage error, for example an unknown ID',
  },
  examples: `
  ironic-coreos explain path-relative
  ironic-coreos explain pull-secret
  ironic-coreos explain ImageBuildInvalid
  ironic-coreos explain 'Kernel panic - not syncing: No working init found.'
  ironic-coreos explain < console.log
  ironic-coreos explain
  ironic-coreos explain --format json path-relative
`,
  load: async () => (await import('./explain.ts')).explain,
});
