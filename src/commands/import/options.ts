/** What `import` takes. */

import { file, type OptionsOf, withDefault } from '../../io/commandLine.ts';

export const importOptions = {
  '<FILE...>': file('files to read; - is standard input'),
  '-o, --output <file>': withDefault('ramdisk.yaml', file('inventory to write, which must not exist')),
};

export type ImportOptions = OptionsOf<typeof importOptions>;
