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
  parsed,
  under,
  wholeNumber,
  withDefault,
} from '../../io/commandLine.ts';
import { parseMac } from '../../io/optionValues.ts';
import { catalogOptions } from '../serve/options.ts';
import { ironicOptions, reportOptions, urlSigningOptions } from '../try/options.ts';

export const bootOptions = {
  '[HOST...]': freeText('hosts of the inventory', 'host'),
  '--inventory <file>': common(file('inventory with settings, hosts and their BMCs, YAML or JSON')),
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
  ...under('BMC:', {
    '--bmc <url>': common(freeText('address of the BMC, without an inventory')),
    '--credentials <file>': common(file('file with user name and password of the BMCs')),
    '--ca-file <file>': common(file('CA certificates of the BMCs, in PEM')),
    '--mac <address>': parsed(
      parseMac,
      'MAC address of the machine, without an inventory (default: from the BMC)',
    ),
    '--insecure': common(toggle('do not verify the TLS certificates of the BMCs')),
  }),
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
