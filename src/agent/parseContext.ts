/** What the parser of a setting gets beside the text. `flag` is the name of the input: a flag, a variable or the setting in a file. */

import type { Diagnostic } from '../core/finding.ts';
import type { UrlSource } from './ironicUrl.ts';

export interface ParseContext extends UrlSource {
  readonly origin: 'flag' | 'environment' | 'file';
  /** The file that the text is from, if the input names one. */
  readonly file?: string | undefined;
  /** Whether the settings configure a network for the host. */
  readonly hasNetwork: boolean;
  /** A message without `at` has no subject: it is about the input. */
  readonly warn: (warning: Diagnostic) => void;
}
