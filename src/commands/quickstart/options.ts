/** What `quickstart` takes. */

import { folder, type OptionsOf, withDefault } from '../../io/commandLine.ts';

export const quickstartOptions = {
  '-C, --directory <folder>': withDefault(
    'quickstart',
    folder('folder for the files; created if it does not exist'),
  ),
};

export type QuickstartOptions = OptionsOf<typeof quickstartOptions>;
