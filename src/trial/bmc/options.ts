/** The options of BMCs. */

import { common, file, freeText, type OptionsOf, parsed, toggle, under } from '../../io/commandLine.ts';
import { parseMac } from '../../io/optionValues.ts';

/** For the BMCs of an inventory; they override its settings. */
export const bmcLoginOptions = under('BMC:', {
  '--credentials <file>': common(file('file with user name and password of the BMCs')),
  '--ca-file <file>': common(file('CA certificates of the BMCs, in PEM')),
  '--insecure': common(toggle('do not verify the TLS certificates of the BMCs')),
});

export type BmcLoginOptions = OptionsOf<typeof bmcLoginOptions>;

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
