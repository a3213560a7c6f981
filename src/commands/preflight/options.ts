/** What `preflight` takes. */

import { bmcLoginOptions } from '../../trial/bmc/options.ts';
import { hostOption } from '../../hosts/settings/options.ts';
import {
  choice,
  duration,
  file,
  freeText,
  INVENTORY,
  type OptionsOf,
  required,
  wholeNumber,
  withDefault,
} from '../../io/commandLine.ts';

export const preflightOptions = {
  '--inventory <file>': required(file(INVENTORY)),
  ...hostOption,
  '--base-url <url>': freeText(
    'base URL at which a web server has the folder of prepare: check its files, too',
  ),
  '--timeout <time>': withDefault('10s', duration('time for each request; BMCs have six times as long', 1)),
  '--parallel <number>': withDefault('10', wholeNumber('number of servers to ask at the same time', 1, 1000)),
  '--format <form>': withDefault('text', choice(['text', 'json'], 'report format: text or json')),
  ...bmcLoginOptions,
};

export type PreflightOptions = OptionsOf<typeof preflightOptions>;
