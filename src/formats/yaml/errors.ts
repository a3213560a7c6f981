/** What is wrong with a YAML text, as sentences that end in line and column. */

import { YAMLException } from 'js-yaml';
import { FormatError } from '../../errors.ts';
import { makeLocator } from './position.ts';

/** Runs a part of js-yaml. @throws FormatError for what it throws */
export function withYamlErrors<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // js-yaml gives no word on what else it may throw.
    if (!(error instanceof YAMLException)) throw new FormatError('YAML cannot be read', { cause: error });
    throw yamlError(text, { message: sentence(error.reason), offset: error.mark?.position ?? 0 });
  }
}

/** `reason` is a clause. */
export function sentence(reason: string): string {
  return `YAML cannot be read: ${reason}`;
}

export interface YamlProblem {
  readonly message: string;
  /** In characters. */
  readonly offset: number;
  readonly hint?: string;
}

/** The error about one place of the text. */
export function yamlError(text: string, { message, offset, hint }: YamlProblem): FormatError {
  const { line, column } = makeLocator(text)(offset);
  const details = hint === undefined ? { offset } : { offset, hint };
  return new FormatError(`${message} at line ${line}, column ${column}`, details);
}
