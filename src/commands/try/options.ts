/** What `try` takes. */

import { imageOptions } from '../../hosts/plan/imageOptions.ts';
import { hostOption } from '../../hosts/settings/options.ts';
import {
  common,
  file,
  INVENTORY,
  type OptionsOf,
  freeText,
  under,
  withCommon,
} from '../../io/commandLine.ts';
import { catalogOptions } from '../../service/options.ts';
import { emulationOptions, ironicOptions, reportOptions, urlSigningOptions } from '../../trial/options.ts';

export const tryOptions = {
  '--expect <hosts>': common(
    freeText(
      'hosts to wait for: a number, or comma-separated names or MAC addresses (default: all hosts of the inventory, or 1)',
    ),
  ),
  ...withCommon(reportOptions, '--until <stage>', '--require-step <name>', '--save <folder>'),
  ...under('Mock Ironic:', {
    '--listen <address>': common(
      freeText('address and port, or :PORT for all addresses (default: 127.0.0.1:6385)'),
    ),
    ...withCommon(ironicOptions, '--tls', '--ca-out <file>'),
  }),
  ...under('Serving images:', {
    '--inventory <file>': common(file(INVENTORY)),
    ...hostOption,
    '--ironic-url <url>': common(freeText('replace the Ironic URL of the inventory in the configs')),
    '--serve-listen <address>': common(freeText('address and port for images (default: 127.0.0.1:8084)')),
    '--public-url <url>': common(freeText('base URL at which machines reach the images')),
    ...catalogOptions,
    ...urlSigningOptions,
  }),
  ...imageOptions,
  ...emulationOptions,
};

export type TryOptions = OptionsOf<typeof tryOptions>;
