/** What `boot` takes. */

import { imageOptions } from '../../hosts/plan/imageOptions.ts';
import { hostOption } from '../../hosts/settings/options.ts';
import { common, file, freeText, type OptionsOf, toggle, under } from '../../io/commandLine.ts';
import { catalogOptions } from '../../service/options.ts';
import { bmcOptions, bootRunOptions } from '../../trial/bmc/options.ts';
import { ironicOptions, reportOptions, urlSigningOptions } from '../../trial/options.ts';

export const bootOptions = {
  '[HOST...]': freeText('hosts of the inventory', 'host'),
  '--inventory <file>': common(file('inventory with settings, hosts and their BMCs, YAML or JSON')),
  '--all': common(toggle('boot all hosts of the inventory')),
  ...hostOption,
  ...bootRunOptions,
  ...reportOptions,
  ...bmcOptions,
  ...under('Servers:', {
    '--ironic-url <url>': common(freeText('replace the Ironic URL of the inventory in the configs')),
    '--serve-listen <address>': common(freeText('address and port for images (default: port 8084)')),
    '--public-url <url>': common(freeText('base URL at which BMCs reach the images')),
    '--listen <address>': common(freeText('address and port of the mock Ironic (default: port 6385)')),
    ...ironicOptions,
    ...urlSigningOptions,
    ...catalogOptions,
  }),
  ...imageOptions,
};

export type BootOptions = Omit<OptionsOf<typeof bootOptions>, 'host'>;
