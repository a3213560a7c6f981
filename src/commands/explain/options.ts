/** What `explain` takes. */

import { choice, freeText, type OptionsOf, withDefault } from '../../io/commandLine.ts';

export const explainOptions = {
  '[ID]': freeText(
    'rule, error code, cause, condition, check or reason, e.g. path-relative, ERR_IMAGE_SPACE or pull-secret; or a line on a console in quotes',
    'ids',
  ),
  '--format <form>': withDefault('text', choice(['text', 'json'], 'output format: text or json')),
};

export type ExplainOptions = OptionsOf<typeof explainOptions>;
