/** The options of BMCs. */

import { common, file, freeText, type OptionsOf, parsed, toggle, under } from '../../io/commandLine.ts';
import { parseMac } from '../../io/optionValues.ts';

export const bmcOptions = under('BMC:', {
  '--bmc <url>': common(freeText('address of the BMC, without an inventory')),
  '--credentials <file>': common(file('file with user name and password of the BMCs')),
  '--ca-file <file>': common(file('CA certificates of the BMCs, in PEM')),
  '--mac <address>': parsed(
    parseMac,
    'MAC address of the machine, without an inventory (default: from the BMC)',
  ),
  '--insecure': common(toggle('do not verify the TLS certificates of the BMCs')),
});

export type BmcOptions = OptionsOf<typeof bmcOptions>;
