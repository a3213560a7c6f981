/** What `inspect` takes. */

import { choice, file, type OptionsOf, withDefault } from '../../io/commandLine.ts';

export const inspectOptions = {
  '<IMAGE>': file('live ISO, initramfs, Ignition config or agent archive'),
  '[OTHER]': file('second image or folder, to compare with the first'),
  '--format <form>': withDefault(
    'text',
    choice(['text', 'full', 'json'], 'text, full: text with all lines of the config, or json'),
  ),
};

export type InspectOptions = OptionsOf<typeof inspectOptions>;
