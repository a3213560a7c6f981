import { visitUnit } from '../../src/formats/unitFile.ts';

interface UnitSection {
  readonly name: string;
  readonly options: readonly UnitOption[];
}

interface UnitOption {
  readonly name: string;
  readonly value: string;
}

/** The sections of a unit file, or the error of go-systemd. */
export function readUnit(
  text: string,
): { readonly sections: readonly UnitSection[] } | { readonly error: string } {
  const sections: { name: string; options: UnitOption[] }[] = [];
  const error = visitUnit(text, {
    section: (name) => sections.push({ name, options: [] }),
    option: (option) => sections.at(-1)?.options.push(option),
  });
  return error === undefined ? { sections } : { error };
}
