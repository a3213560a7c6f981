/** The configuration files beside this module, with values in place of @NAME@. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Values = Readonly<Record<string, string | number>>;

/** Writes the file to the folder. Returns its path. */
export function writeTemplate(name: string, folder: string, values: Values = {}): string {
  const text = readFileSync(join(import.meta.dirname, name), 'utf8').replaceAll(
    /@([A-Z_]+)@/g,
    (_found, key: string) => {
      const value = values[key];
      if (value === undefined) throw new Error(`${name} needs a value for ${key}`);
      return String(value);
    },
  );
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
