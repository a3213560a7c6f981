/** What `boot` takes. */

import { imageOptions } from '../../hosts/plan/imageOptions.ts';
import { hostOption } from '../../hosts/settings/options.ts';
import {
  choice,
  common,
  duration,
  file,
  toggle,
  type OptionsOf,
  freeText,
  under,
  wholeNumber,
  withDefault,
} from '../../io/commandLine.ts';
import { catalogOptions } from '../../service/options.ts';
import { bmcOptions } from '../../trial/bmc/options.ts';
import { ironicOptions, reportOptions, urlSigningOptions } from '../../trial/options.ts';

export const bootOptions = {
  '[HOST...]': freeText('hosts of the inventory', 'host'),
  '--inventory <file>': common(file('inventory with settings, hosts and their BMCs, YAML or JSON')),
  '--all': common(toggle('boot all hosts of the inventory')),
  ...hostOption,
  '--check': common(toggle('only read the BMCs and report what prevents a boot')),
  '--method <name>': common(
    choice(
      ['virtual-media', 'uefi-http'],
      'boot method: virtual-media or uefi-http (default: from the address of the BMC)',
    ),
  ),
  '-y, --yes': common(toggle('power off machines that are on, without confirmation')),
  '--leave': common(toggle('leave the machines as they are at the end')),
  '--parallel <number>': withDefault('10', wholeNumber('number of BMCs to use at the same time', 1, 1000)),
  '--shutdown-timeout <time>': withDefault(
    '5m',
    duration('time for a shutdown before the machine is forced off'),
  ),
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
