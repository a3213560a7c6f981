import { parseUnit } from '../../src/formats/goUnitFile.ts';

/** The sections of a unit file, or the error of go-systemd. */
export function readUnit(
  text: string,
): Pick<ReturnType<typeof parseUnit>, 'sections'> | { readonly error: string } {
  const { sections, error } = parseUnit(text);
  return error === undefined ? { sections } : { error };
}
