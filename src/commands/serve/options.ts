/** What `serve` takes. */

import { freeText, hidden, type OptionsOf } from '../../io/commandLine.ts';
import { serviceOptions, siteOptions, urlOptions } from '../../service/options.ts';

export const serveOptions = {
  ...siteOptions,
  ...serviceOptions,
  ...urlOptions,
  '--kubeconfig <file>': hidden(freeText('accepted without any effect, as upstream')),
};

export type ServeOptions = OptionsOf<typeof serveOptions>;
