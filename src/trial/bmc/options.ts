/** The options of BMCs. */

import {
  choice,
  common,
  duration,
  file,
  freeText,
  type OptionsOf,
  parsed,
  toggle,
  under,
  wholeNumber,
  withDefault,
} from '../../io/commandLine.ts';
import { parseMac } from '../../io/optionValues.ts';

/** For the BMCs of an inventory; they override its settings. */
export const bmcLoginOptions = under('BMC:', {
  '--credentials <file>': common(file('file with user name and password of the BMCs')),
  '--ca-file <file>': common(file('CA certificates of the BMCs, in PEM')),
  '--insecure': common(toggle('do not verify the TLS certificates of the BMCs')),
});

export type BmcLoginOptions = OptionsOf<typeof bmcLoginOptions>;

/** How the machines of a run are booted. */
export const bootRunOptions = {
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
};

export type BootRunOptions = OptionsOf<typeof bootRunOptions>;

export const bmcOptions = {
  ...under('BMC:', {
    '--bmc <url>': common(freeText('address of the BMC, without an inventory')),
    '--mac <address>': parsed(
      parseMac,
      'MAC address of the machine, without an inventory (default: from the BMC)',
    ),
  }),
  ...bmcLoginOptions,
};

export type BmcOptions = OptionsOf<typeof bmcOptions>;
