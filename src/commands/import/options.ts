/** What `import` takes. */

import { file, freeText, type OptionsOf, withDefault } from '../../io/commandLine.ts';

export const importOptions = {
  '<FILE...>': file('files to read; - is standard input'),
  '--api-url <urls>': freeText('URLs of Ironic for the inventory'),
  '--agent-image <image>': freeText('agent container image for the inventory'),
  '-o, --output <file>': withDefault('ramdisk.yaml', file('inventory to write, which must not exist')),
};

export type ImportOptions = OptionsOf<typeof importOptions>;
