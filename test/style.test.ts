/**
 * The style of all text: the words that people who are not native speakers have to read twice do not occur in code, comments,
 * templates, deployables, schemas and docs, and the help of commands has one shape.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFixedConstants, readSpreadArguments, readTexts } from './support/sourceTexts.ts';
import { allOptions, wholeProgram, withDescendants } from './support/wholeProgram.ts';

const root = resolve(import.meta.dirname, '..');

/** Words and phrases that are not used, with what to write instead. */
const WORDS: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bwrong(?:ly)?\b/i, 'invalid, incorrect, or what is the matter'],
  [/\bright\b/i, 'valid, correct; of sides: right-hand'],
  [/\btold\b|\btells?\b(?! [a-z-]+ apart)/i, 'report, print, list'],
  [/\bwho(?:ever)\b/i, 'anyone who'],
  [/\b(?:no|every)body\b/i, 'no client, all users, anyone'],
  [/\bplay(?:s|ed)?\b/i, 'impersonate, mock'],
  [/\b(?:come|came)s? (?:as|how) far\b/i, 'reach'],
  [/\b(?:has|have|had) no place\b/i, 'does not support'],
  [/\bstands?\b|\bstood\b/i, 'is'],
  [/\bholds?\b|\bheld\b/i, 'contains; of locks: locked by'],
  [/\bgood for\b/i, 'valid for'],
  [/\bkn(?:ow|own|ew|ows) again\b/i, 'recognize'],
  [/\bfrom here\b/i, 'from this machine'],
  [/\bof (?:its|their|one's) own accord\b/i, 'by itself, automatically'],
  [/\bbe it\b/i, 'for example'],
  [/\blest\b/i, 'so that … not'],
  [/\b(?:is|are) none\b/i, 'is missing, is not a …'],
  [/\b(?:one|each) a (?:line|host|file|image)\b/i, 'one per line'],
  [/\bat hand\b/i, 'available, prerequisites'],
];

/** Where these words are correct, with the reason. */
const EXCEPTIONS: readonly (readonly [text: RegExp, reason: string])[] = [
  [/Wrong input, format should be: KEY=OLD=NEW/, 'a message of coreos-installer'],
  [/nfsnobody nobody/, 'users and groups of CoreOS'],
  [/wrong final digest/, 'a message of coreos-installer'],
  [/wrong version number|WRONG_VERSION_NUMBER/g, 'a message of OpenSSL'],
];

/** What is read: files, and folders with all that is in them. */
const READ = ['src', 'bin', 'deploy', 'templates', 'schemas', 'docs', '.github', 'README.md', 'CHANGELOG.md'];

/** References whose texts upstream wrote, and what is generated. */
const SKIPPED = /\.webp$|^src\/.*\.json$|^docs\/proof\.json$/;

function filesBelow(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return SKIPPED.test(path) ? [] : [path];
  return readdirSync(join(root, path)).flatMap((name) => filesBelow(`${path}/${name}`));
}

/** The TypeScript of the program. */
const modules = filesBelow('src').filter((path) => path.endsWith('.ts'));

/** The lines of a file with such words: `docs/serve.md:12: stands → is: The host stands in …`. */
function findingsIn(path: string): string[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const text = EXCEPTIONS.reduce((rest, [excepted]) => rest.replace(excepted, ''), line);
    return WORDS.flatMap(([words, instead]) => {
      const [found] = words.exec(text) ?? [];
      return found === undefined ? [] : [`${path}:${index + 1}: ${found} → ${instead}: ${line.trim()}`];
    });
  });
}

/** Words that name nothing: an instruction of only such words is no help, because it leaves open what to type. */
const NAMELESS = {
  verbs:
    'add build change check choose copy correct create do download fix give keep make move pass put remove rename repeat replace run set try use write',
  pronouns:
    'a again all an and any both but each either except few first for from here if in instead it its many neither of one only or other others same several some that the their them these they this those to too twice two with without',
  nouns:
    'argument arguments command commands duplicate duplicates entries entry file files folder folders image images item items key keys line lines name names option options parent path paths section sections text texts value values',
};
const verbs = new Set(NAMELESS.verbs.split(' '));
const nameless = new Set(Object.values(NAMELESS).flatMap((words) => words.split(' ')));

/** Help of options that looks like such a hint. */
const OPTION_HELP = new Set(['replace the value of an argument']);

/** The texts of a source that are hints of such words only: `src/cli/man.ts:30: remove the command`. */
function namelessHints(path: string, source: string): string[] {
  return readTexts(source).flatMap(({ start, text }) => {
    const [verb = '', ...words] = text.split(/[\s,;.:]+/).filter((word) => word !== '');
    const isNameless = verbs.has(verb) && words.length > 0 && words.every((word) => nameless.has(word));
    if (!isNameless || OPTION_HELP.has(text)) return [];
    return `${path}:${source.slice(0, start).split('\n').length}: ${text}`;
  });
}

/** A small letter, an abbreviation, or a name. */
const FIRST_WORD =
  /^(?!(?:what|where|which|who|that) )(?:[a-z0-9]|[A-Z]{2,}s? |(?:Ignition|NetworkManager|Ironic|Kubernetes|OpenStack) )/;

const [, ...commands] = withDescendants(wholeProgram());
const options = commands.flatMap((command) =>
  allOptions(command).map(({ description: text, flags, long }) => ({
    name: `${command.path} ${long}`,
    text,
    placeholder: /<.*>$/.exec(flags)?.[0],
  })),
);

describe('style', () => {
  it('no text has words that readers have to read twice', () => {
    expect(READ.flatMap(filesBelow).flatMap(findingsIn).join('\n')).toBe('');
  });

  it('each exception is needed', () => {
    const texts = READ.flatMap(filesBelow).map((path) => readFileSync(join(root, path), 'utf8'));
    const unused = EXCEPTIONS.filter(([excepted]) => !texts.some((text) => excepted.test(text)));
    expect(unused.map(([, reason]) => reason)).toEqual([]);
  });

  it('constants with a fixed number, text or regular expression have names in capital letters', () => {
    const others = modules.flatMap((path) => {
      const names = readFixedConstants(readFileSync(join(root, path), 'utf8'));
      return names.filter((name) => !/^[A-Z][A-Z\d_]*$/.test(name)).map((name) => `${path}: ${name}`);
    });
    expect(others.join('\n')).toBe('');
  });

  it('no list is spread into the arguments of a call: arguments are on the stack, which a long list overflows', () => {
    const found = modules.flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      return readSpreadArguments(source).map(
        (start) => `${path}:${source.slice(0, start).split('\n').length}`,
      );
    });
    expect(found, 'use append or largest of core/lists.ts').toEqual([]);
  });

  it.each([
    ['of a method', 'list.push(...items);', 1],
    ['of a function, twice', 'Math.max(0, ...a, ...b.map((one) => one.length));', 2],
    ['of a constructor', 'new Box(...items);', 1],
    ['after a rest parameter of another function', 'const f = (...all) => all; g(...all);', 1],
    ['in an array of arguments', 'append(list, [...items, 1]);', 0],
    ['of the rest parameter', 'function f(...all) { return () => g(1, ...all); }', 0],
  ])('a spread list is found among the arguments %s', (_where, source, count) => {
    expect(readSpreadArguments(source)).toHaveLength(count);
  });

  it('summaries of commands are imperatives: a capital letter first, no period, at most 72 characters', () => {
    const others = commands.filter((one) => !/^[A-Z][a-z]+[^s] .{0,66}[^.]$/.test(one.summary()));
    expect(others.map((one) => `${one.path}: ${one.summary()}`)).toEqual([]);
  });

  it('help of options is a noun phrase or an imperative: a small letter first, no period', () => {
    const others = options.filter(({ text }) => !FIRST_WORD.test(text) || text.endsWith('.'));
    expect(others.map(({ name, text }) => `${name}: ${text}`)).toEqual([]);
  });

  it('values of options are in small letters, arguments in capital letters, as in the help of coreos-installer', () => {
    const values = options.flatMap(({ placeholder }) => placeholder ?? []);
    expect(values.length).toBeGreaterThan(200);
    expect(values.filter((value) => !/^<[a-z[\]|:=/-]+>$/.test(value))).toEqual([]);
    const names = commands.flatMap((command) => command.registeredArguments.map((one) => one.name()));
    expect(names.filter((name) => !/^[A-Z_]+$/.test(name))).toEqual([]);
  });

  it('hints are imperatives: a small letter first, no period, no question', () => {
    const sources = READ.slice(0, 1).flatMap(filesBelow);
    const hints = sources.flatMap((path) =>
      Array.from(
        readFileSync(join(root, path), 'utf8').matchAll(/\bhint: ['`]([^'`]*)/g),
        ([, hint = '']) => hint,
      ),
    );
    expect(hints.length).toBeGreaterThan(300);
    expect(hints.filter((hint) => !/^(?:[a-z$"].*[^.?]|)$/s.test(hint))).toEqual([]);
  });

  it('hints name an option, a command, a file or a value', () => {
    const found = modules.flatMap((path) => namelessHints(path, readFileSync(join(root, path), 'utf8')));
    expect(found).toEqual([]);
  });

  it.each([
    ['a property', `throw new CliError(text, { code, hint: 'remove it' });`, 'remove it'],
    [
      'an argument',
      `refuse(place, message, 'remove or rename one of them');`,
      'remove or rename one of them',
    ],
    ['a default', `const { hint = 'fix the file' } = error;`, 'fix the file'],
    ['a choice', `const hint = isHere ? 'pass both' : \`use \${flag}\`;`, 'pass both'],
    ['a template', 'report({ hint: `run the command again` });', 'run the command again'],
  ])('a hint that names nothing is found: %s', (_where, source, hint) => {
    expect(namelessHints('a.ts', source)).toEqual([`a.ts:1: ${hint}`]);
  });
});
