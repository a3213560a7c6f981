// @ts-check
/** The files of `.changes/`, and how they become a section of CHANGELOG.md. */

/** The headings in CHANGELOG.md, in their order; in small letters they are part of the names of the files. */
const SECTIONS = ['Configs', 'Images', 'Boot', 'Program', 'Renamed'];

const NAME = /^[\w-]+\.(?<section>[a-z]+)\.md$/;

/** @typedef {{ name: string, text: string }} Change name: of the file, e.g. `serve-localhost.boot.md` */

/** @param {string} name of a file in `.changes/` @returns {string} its heading. @throws if the name has another form */
export function sectionOf(name) {
  const section = SECTIONS.find((title) => title.toLowerCase() === NAME.exec(name)?.groups?.['section']);
  if (section !== undefined) return section;
  const endings = SECTIONS.map((title) => `NAME.${title.toLowerCase()}.md`);
  throw new Error(`.changes/${name} is not named ${endings.join(', ')}`);
}

/**
 * CHANGELOG.md with the section of a new version at the top, and all other sections as they were.
 * @param {string} changelog
 * @param {{ version: string, date: string, changes: readonly Change[] }} release date: YYYY-MM-DD
 * @throws if the version is in it already, if an earlier one is not released, or if there are no changes
 */
export function addRelease(changelog, { version, date, changes }) {
  const [head = '', ...releases] = changelog.split(/^(?=## )/m);
  // As that of the first release.
  const written = releases[0]?.startsWith(`## ${version} (not released)\n`) ? releases.shift() : undefined;
  if (releases.some((release) => release.startsWith(`## ${version} `))) {
    throw new Error(`CHANGELOG.md already has a section of ${version}`);
  }
  const [unreleased] = /^## \S+ \(not released\)$/m.exec(releases[0] ?? '') ?? [];
  if (unreleased !== undefined) throw new Error(`CHANGELOG.md has "${unreleased}": release that first`);
  if (written === undefined && changes.length === 0) throw new Error('.changes contains no changes');
  const [title, ...parts] = (written ?? '\n').split(/^(?=### )/m);
  const texts = new Map(parts.map((part) => [part.slice('### '.length, part.indexOf('\n')), part.trimEnd()]));
  for (const { name, text } of changes) {
    const section = sectionOf(name);
    const before = texts.get(section) ?? `### ${section}\n`;
    texts.set(section, `${before}\n${text.trim()}`);
  }
  const introduction = title?.slice(title.indexOf('\n')).trim();
  const sections = SECTIONS.flatMap((section) => texts.get(section) ?? []);
  const section = [`## ${version} (${date})`, ...(introduction ? [introduction] : []), ...sections];
  return `${[head.trimEnd(), ...section, ...releases.map((release) => release.trimEnd())].join('\n\n')}\n`;
}
