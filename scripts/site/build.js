// @ts-check
/**
 * Builds the documentation site: README, docs as they are, and a page for each command, from its help. `npm ci` in this folder and
 * in the root comes first; then `node scripts/site/build.js`. The result is `scripts/site/pages/.vitepress/dist`.
 *
 * Environment: `GITHUB_REPOSITORY` and `GITHUB_SHA`, so that links to files that are no pages lead to the repository; without
 * them, these are no links. `SITE_BASE`: the path of the site (default: `/`).
 */

import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { findBrokenLinks } from './links.js';

/** @typedef {import('../../src/cli/program.ts').ProgramCommand} ProgramCommand */

const root = resolve(import.meta.dirname, '../..');
const pages = join(import.meta.dirname, 'pages');

rmSync(pages, { recursive: true, force: true });
cpSync(join(root, 'docs'), join(pages, 'docs'), { recursive: true });
for (const name of ['README.md', 'CHANGELOG.md']) copyFileSync(join(root, name), join(pages, name));
writeFileSync(join(pages, 'index.md'), homePage());
mkdirSync(join(pages, 'commands'));
for (const command of await describeCommands()) {
  writeFileSync(join(pages, 'commands', `${fileName(command)}.md`), commandPage(command));
}
mkdirSync(join(pages, '.vitepress'));
for (const name of ['config.js', 'sidebar.js'])
  copyFileSync(join(import.meta.dirname, name), join(pages, '.vitepress', name));

const { build } = await import('vitepress');
await build(pages);
const broken = findBrokenLinks(join(pages, '.vitepress/dist'), process.env['SITE_BASE'] ?? '/');
if (broken.length > 0) throw new Error(`broken links:\n${broken.join('\n')}`);

/** docs/index.md, one folder higher. */
function homePage() {
  const text = readFileSync(join(root, 'docs/index.md'), 'utf8');
  const links = text.replaceAll(/\]\(([^)]+)\)/g, (whole, target) => {
    if (/^(?:https?:|#)/.test(target)) return whole;
    return `](${target.startsWith('../') ? target.slice('../'.length) : `docs/${target}`})`;
  });
  return `${links}\nEvery command and option: [commands](commands/ironic-coreos.md).\n`;
}

/** @returns {Promise<readonly ProgramCommand[]>} the program and all commands that its help lists */
async function describeCommands() {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos site '));
  const bundle = await rolldown({
    input: { program: join(root, 'test/support/wholeProgram.ts') },
    platform: 'node',
    logLevel: 'silent',
  });
  const program = join(folder, 'program'); // assets of the package are beside it
  await bundle.write({ dir: program, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  for (const name of ['dist', 'docs', 'package.json', 'src'])
    symlinkSync(join(root, name), join(folder, name));
  const { wholeProgram, withDescendants } = await import(pathToFileURL(join(program, 'program.mjs')).href);
  rmSync(folder, { recursive: true });
  return withDescendants(wholeProgram());
}

/** @param {ProgramCommand} command */
function fileName({ path }) {
  return path.replaceAll(' ', '-');
}

/** @param {{ helpGroupHeading?: string | undefined }} option */
function groupOf({ helpGroupHeading = 'Options:' }) {
  return helpGroupHeading;
}

/** @param {ProgramCommand} command */
function commandPage(command) {
  const { children, path, registeredArguments } = command;
  const help = command.printAll().createHelp();
  const options = help.visibleOptions(command);
  const notes = command.notes.trim();
  return [
    `# ${path}`,
    escapeText(command.description().replace(/\.?$/, '.')),
    `\`\`\`text\n${path} ${command.usage()}\n\`\`\``,
    ...table(
      'Commands',
      children.map((child) => [
        `[${child.path.replace('ironic-coreos ', '')}](${fileName(child)}.md)`,
        child.summary(),
      ]),
    ),
    ...table(
      'Arguments',
      registeredArguments.map((one) => [`\`${one.name()}\``, help.argumentDescription(one)]),
    ),
    ...[...new Set(options.map(groupOf))].flatMap((group) =>
      table(
        group.replace(/:$/, ''),
        options.flatMap((option) =>
          groupOf(option) === group ? [[flagsOf(option), help.optionDescription(option)]] : [],
        ),
      ),
    ),
    ...(notes === '' ? [] : [`## Notes\n\n\`\`\`text\n${notes}\n\`\`\``]),
  ].join('\n\n');
}

/** @param {import('commander').Option} option */
function flagsOf({ flags, long, short }) {
  const [placeholder = ''] = /<.*>$/.exec(flags) ?? [];
  return [short, long]
    .filter(Boolean)
    .map((flag) => `\`${`${flag} ${placeholder}`.trim().replaceAll('|', '\\|')}\``)
    .join(', ');
}

/** @param {string} title @param {readonly (readonly string[])[]} rows @returns {string[]} */
function table(title, rows) {
  if (rows.length === 0) return [];
  const lines = rows.map(([name, text = '']) => `| ${name} | ${escapeText(text).replaceAll('|', '\\|')} |`);
  return [
    `## ${title}`,
    [`| ${title.toLowerCase().replace(/s$/, '')} | description |`, '|---|---|', ...lines].join('\n'),
  ];
}

/** Text with characters that Markdown would interpret. @param {string} text */
function escapeText(text) {
  return text.replaceAll(/[\\`*_<>{}[\]]/g, (character) => `&#${character.codePointAt(0)};`);
}
