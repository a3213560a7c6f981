/** Adds the name of an input to errors. Functions of the domain only know its bytes. */

import { CliError, FormatError } from '../../core/errors.ts';

/**
 * Returns the result of `read`.
 * @param name of the input for messages, e.g. its path
 * @throws CliError that begins with the name, instead of a FormatError
 */
export async function nameInput<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { message, hint } = error;
    throw new CliError(`${name}: ${message}`, { code: 'ERR_FORMAT', hint, cause: error });
  }
}
