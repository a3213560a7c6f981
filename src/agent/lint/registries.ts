/** Files of the config that say where podman pulls from: what is wrong with them, and what they say together. */

import { posix } from 'node:path';
import type { Issue } from '../../ignition/rule.ts';
import { readRegistriesConf, type Registries } from '../registriesConf.ts';
import { broken, warning } from './lintRule.ts';
import { type LintedFile, type LintSubject, readContents } from './subject.ts';

export const registriesRules = {
  refused: warning(
    'agent-registries-conf',
    'podman refuses the file and pulls no image',
    'correct the file, see containers-registries.conf(5)',
  ),
  ignored: warning(
    'agent-registries-conf-ignored',
    'podman ignores a part of the file',
    'correct the name, or remove the line',
  ),
};

const mainFile = '/etc/containers/registries.conf';

export function checkRegistries(subject: LintSubject): Issue[] {
  return listFiles(subject).flatMap((file) => {
    const text = readText(file);
    if (text === undefined) return [];
    return readRegistriesConf(text).issues.map(({ hint, message, position: { column, line }, severity }) => {
      const rule = severity === 'error' ? registriesRules.refused : registriesRules.ignored;
      const place = `${posix.basename(file.name)}:${line}:${column}`;
      return broken(rule, [...file.path, 'contents', 'source'], { message: `${place}: ${message}`, hint });
    });
  });
}

/** The main file, then the others as podman reads them. */
export function listFiles({ filesByPath }: LintSubject): LintedFile[] {
  const names = [...filesByPath.keys()].filter((name) =>
    /^\/etc\/containers\/registries\.conf\.d\/[^/]+\.conf$/.test(name),
  );
  return [mainFile, ...names.toSorted()].flatMap((name) => filesByPath.get(name) ?? []);
}

/**
 * What the files say together; undefined where one cannot be read, or where another config may bring one. The file of
 * CoreOS, where the config has none, names several registries and asks which one is meant.
 */
export function readRegistries(subject: LintSubject): Registries | undefined {
  if (!subject.isComplete) return undefined;
  const texts = listFiles(subject).map(readText);
  const parts = texts.map((text) => (text === undefined ? undefined : readRegistriesConf(text).registries));
  const own: Registries = subject.filesByPath.has(mainFile)
    ? { aliases: new Map(), entries: [] }
    : { aliases: new Map(), entries: [], shortNameMode: 'enforcing' };
  return parts.reduce<Registries | undefined>((all, part) => all && part && merge(all, part), own);
}

function merge(all: Registries, part: Registries): Registries {
  return {
    ...all,
    ...part,
    aliases: new Map([...all.aliases, ...part.aliases]),
    entries: [...all.entries, ...part.entries],
  };
}

function readText({ file: { append = [], contents } }: LintedFile): string | undefined {
  const bytes = contents === undefined || append.length > 0 ? undefined : readContents(contents);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}
