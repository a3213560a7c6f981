/** What `validate` takes. */

import {
  choice,
  file,
  FILES_DIR,
  toggle,
  folder,
  HARDWARE,
  type OptionsOf,
  freeText,
  withDefault,
} from '../../io/commandLine.ts';

const validationOptions = {
  '--strict': toggle('treat files with warnings as invalid'),
  '--files-dir <folder>': folder(FILES_DIR),
  '--lint <mode>': choice(
    ['none', 'agent'],
    'none: exactly the verdict of ignition-validate; agent: check all configs as configs of the agent (default: only those that run it)',
  ),
  '--ipa-version <release>': freeText(
    'release of ironic-python-agent to check against (default: the newest)',
  ),
};

export const validateOptions = {
  '<FILE...>': file('files, folders or patterns; - is standard input'),
  '--format <form>': withDefault(
    'text',
    choice(
      ['text', 'json', 'github'],
      'report format: text, json (one object per file, one per line) or github (annotations)',
    ),
  ),
  ...validationOptions,
  '--hardware <path>': file(HARDWARE),
};

export type ValidationOptions = OptionsOf<typeof validationOptions>;
export type ValidateOptions = OptionsOf<typeof validateOptions>;
