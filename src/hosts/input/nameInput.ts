/** Names the input that an error is about; domain functions know its bytes only. */

import { CliError, FormatError } from '../../core/errors.ts';

/**
 * What `read` gives.
 * @param name of the input as the user knows it, e.g. its path
 * @throws CliError that begins with the name, in place of a FormatError
 */
export async function nameInput<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { message, hint } = error;
    throw new CliError(`${name}: ${message}`, {
      code: 'ERR_FORMAT',
      ...(hint !== undefined && { hint }),
      cause: error,
    });
  }
}

export function isYamlFile(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}
