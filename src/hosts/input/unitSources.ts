/** The units, drop-ins and quadlets of a config, as files that systemd and podman read: listed as units, or written as files. */

import { readInlineText, readSubject } from '../../agent/lint/subject.ts';
import type { Path } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import { quadletExtensions } from '../../ignition/rules/unit.ts';

/** A text of the config that a program reads as a file. */
export interface UnitSource {
  /** Below the folder of all of them: `a.service`, `a.service.d/b.conf`. It never leads out of it. */
  readonly name: string;
  readonly text: string;
  /** In the config. */
  readonly path: Path;
}

/** The names of units and of their drop-ins that systemd reads. */
const UNIT =
  /^(?:[\w:.\\@-]{1,200}\.)?(?:service|socket|device|mount|automount|swap|target|path|timer|slice|scope)(?:\.d\/[\w .:@\\-]{1,200}\.conf)?$/;

/** The folder of systemd that a config writes; units of users are left out. */
const UNIT_FOLDER = /^\/etc\/systemd\/system\/(?=[^/]+(?:\.d\/[^/]+)?$)/;

/** The units that are not masked, without those that have no text, each name once. */
export function listUnits(config: Config): UnitSource[] {
  const sources: UnitSource[] = [];
  for (const [index, unit] of (config.systemd?.units ?? []).entries()) {
    const { contents = '', dropins = [], mask = false, name = '' } = unit;
    if (mask) continue;
    const path = ['systemd', 'units', index];
    if (contents !== '') sources.push({ name, text: contents, path: [...path, 'contents'] });
    for (const [number, dropin] of dropins.entries()) {
      const text = dropin.contents ?? '';
      sources.push({
        name: `${name}.d/${dropin.name}`,
        text,
        path: [...path, 'dropins', number, 'contents'],
      });
    }
  }
  return unique([...sources, ...writtenFiles(config, UNIT_FOLDER)], UNIT);
}

/** The names of files of podman and of their drop-ins, by the extension of the file. */
const QUADLET = /^[\w:.\\@-]{1,200}(\.[a-z]+)(?:\.d\/[\w .:@\\-]{1,200}\.conf)?$/;

/** The folders of quadlets, of the system and of users, at any depth. */
const QUADLET_FOLDER = /^(?:\/etc|\/run|\/usr\/share|.*\/\.config)\/containers\/systemd\//s;

/** The quadlets of all folders, each name once. */
export function listQuadlets(config: Config): UnitSource[] {
  return unique(writtenFiles(config, QUADLET_FOLDER), QUADLET).filter(({ name }) =>
    quadletExtensions.has(QUADLET.exec(name)?.[1] ?? ''),
  );
}

/** The inline files in a folder, by their names, drop-ins with the name of their folder. */
function writtenFiles(config: Config, folder: RegExp): UnitSource[] {
  return readSubject(config).files.flatMap(({ file, name: path, source }) => {
    const text = folder.test(path) ? readInlineText(file.contents) : undefined;
    const [name = ''] = /(?:[^/]+\.d\/)?[^/]+$/.exec(path) ?? [];
    return text === undefined ? [] : [{ name, text, path: source }];
  });
}

function unique(sources: readonly UnitSource[], pattern: RegExp): UnitSource[] {
  const named = sources.filter(({ name }) => pattern.test(name));
  return [...new Map(named.toReversed().map((source) => [source.name, source])).values()].toReversed();
}
