/**
 * The documentation is true: every transcript is run, from an empty folder; every link leads somewhere, and what it names is
 * there. Where the program prints something else now, `npx vitest run test/docs.test.ts -u` writes that into the pages, to be
 * read.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { load as loadYaml } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anchors,
  localLinks,
  type Page,
  proseOf,
  readBlocks,
  readPages,
  replaceBlocks,
  root,
} from './support/docs/markdown.ts';
import { makeSupplies, type Ran, startSession, type Supplies } from './support/docs/session.ts';
import { matchesOutput, readSteps, type Step } from './support/docs/transcript.ts';
import { have, oracleNote } from './support/programs.ts';
import { wholeProgram } from './support/wholeProgram.ts';

const pages = readPages();
const withTranscripts = pages.filter(({ text }) => text.includes('\n```console\n'));
const titled = (page: Page): readonly [string, Page] => [page.name, page];

/** A block of a page that cannot run here. */
interface Unrunnable {
  readonly page: string;
  /** The beginning of its first command. */
  readonly first: string;
  readonly reason: string;
  /** A command that leaves what the block would leave. */
  readonly standIn?: string;
}

const unrunnable: readonly Unrunnable[] = [
  {
    page: 'README.md',
    first: 'podman build',
    reason: 'it needs podman, docker.io and PyPI',
    standIn: 'cp "$SUPPLIES/ironic-agent.tar" .',
  },
  {
    page: 'README.md',
    first: 'ironic-coreos try --qemu',
    reason: 'it needs a live ISO that boots, 6 GiB of memory and some minutes',
  },
  {
    page: 'docs/offline.md',
    first: 'podman save',
    reason: 'the image is built from docker.io',
    standIn: 'cp "$SUPPLIES/ironic-agent.tar" .',
  },
];

const needed = ['sh', 'curl', 'openssl'].find((program) => !have(program)) ?? 'sh';

describe.skipIf(!have(needed))(`transcripts${oracleNote(needed)}`, () => {
  let supplies: Supplies;

  beforeAll(async () => {
    supplies = await makeSupplies();
  });

  afterAll(() => supplies.remove());

  it.each(withTranscripts.map(titled))(
    'of %s are what the program prints in an empty folder',
    async (_name, page) => {
      await expect(await replay(page, supplies)).toMatchFileSnapshot(page.path);
    },
  );
});

describe('blocks that cannot run here', () => {
  it('are fewer than ten', () => expect(unrunnable.length).toBeLessThan(10));

  it.each(unrunnable.map((row) => [row.page, row.first, row.reason] as const))(
    '%s: %s (%s)',
    (name, first) => {
      const page = pages.find((one) => one.name === name);
      const found = readBlocks(page?.text ?? '').filter(({ lines }) => lines[0]?.startsWith(`$ ${first}`));
      expect(found).toHaveLength(1);
    },
  );
});

/** The page with what its commands print now, where that is not what it says. */
async function replay({ name, text }: Page, supplies: Supplies): Promise<string> {
  const blocks = readBlocks(text);
  const steps = blocks
    .filter(({ language }) => language === 'console')
    .flatMap((block) => {
      const row = unrunnable.find(
        ({ first, page }) => page === name && block.lines[0]?.startsWith(`$ ${first}`),
      );
      if (row === undefined) return readSteps(block);
      const [firstStep, ...others] = readSteps(block).map((step) => ({
        ...step,
        isKept: true,
        command: 'true',
      }));
      return firstStep === undefined ? [] : [{ ...firstStep, command: row.standIn ?? 'true' }, ...others];
    });
  const session = await startSession(supplies);
  try {
    for (const { file, lines } of blocks) {
      if (file !== undefined) session.write(file, `${lines.join('\n')}\n`);
    }
    const results = await session.run(steps.map(({ command }) => command));
    expect(results, `${name}: the last command that was started did not end`).toHaveLength(steps.length);
    const unexpected = steps.flatMap((step, index) => {
      const ran = results[index];
      return failsUnseen(ran, steps[index + 1]) ? [{ command: step.command, ...ran }] : [];
    });
    expect(unexpected, 'commands that fail, and the page does not say so').toEqual([]);
    const retold = steps.map((step, index) => retell(step, results[index])).values();
    return replaceBlocks(text, 'console', (block) =>
      readSteps(block).flatMap(() => retold.next().value ?? []),
    );
  } finally {
    await session.end();
  }
}

/** A command may fail if the reader sees that. */
function failsUnseen(ran: Ran | undefined, next: Step | undefined): boolean {
  if (ran?.status === 0 || next?.command === 'echo $?') return false;
  return ran?.lines.some((line) => line.startsWith('error: ')) !== true;
}

function retell({ commandLines, isKept, output }: Step, ran: Ran | undefined): readonly string[] {
  // A busy machine also says for what it waits.
  const lines = (ran?.lines ?? []).filter((line) => !line.startsWith('waiting for '));
  return [...commandLines, ...(isKept || matchesOutput(output, lines) ? output : abridge(lines, output))];
}

/** The new output, with those of the old abridgements that still fit: a line of … replaces as much as before, by its place. */
function abridge(lines: readonly string[], old: readonly string[]): readonly string[] {
  const first = old.indexOf('…');
  const after = old.slice(old.lastIndexOf('…') + 1);
  if (first < 0 || first + after.length > lines.length) return abridgeLines(lines, old);
  const end = abridgeLines(lines.slice(lines.length - after.length), after);
  return [...abridgeLines(lines.slice(0, first), old), '…', ...end];
}

function abridgeLines(lines: readonly string[], old: readonly string[]): readonly string[] {
  return lines.map((line, at) => (matchesOutput([old[at] ?? ''], [line]) ? (old[at] ?? '') : line));
}

describe('what stands for what in transcripts', () => {
  it.each<readonly [string, readonly string[], readonly string[], boolean]>([
    ['the same', ['a', 'b'], ['a', 'b'], true],
    ['another line', ['a', 'b'], ['a', 'c'], false],
    ['one line more', ['a'], ['a', 'b'], false],
    ['nothing', [], [], true],
    ['… for a part of a line', ['took … ms (…)'], ['took 12 ms (fast)'], true],
    ['… not for a line break', ['took …'], ['took 12', 'ms'], false],
    ['a line of … for lines', ['a', '…', 'd'], ['a', 'b', 'c', 'd'], true],
    ['a line of … for none', ['a', '…'], ['a'], true],
    ['characters of patterns', ['a.c (x)'], ['abc (x)'], false],
  ])('%s', (_title, expected, actual, is) => expect(matchesOutput(expected, actual)).toBe(is));

  it('a command goes on after a backslash', () => {
    const block = { language: 'console', file: undefined, start: 0, lines: ['$ a \\', '  b', 'out', '$ c'] };
    expect(readSteps(block).map(({ command, output }) => [command, output])).toEqual([
      ['a \\\n  b', ['out']],
      ['c', []],
    ]);
  });
});

describe('links', () => {
  it.each(pages.map(titled))('of %s lead to files and headings that are there', (_name, { path, text }) => {
    const wrong = localLinks(text).filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchors(readFileSync(target, 'utf8')).includes(anchor);
    });
    expect(wrong).toEqual([]);
  });

  it('lead from the README to every page', () => {
    const named = new Set(localLinks(pages[0]?.text ?? '').map((link) => link.replace(/#.*/, '')));
    expect(
      pages
        .slice(1)
        .map(({ name }) => name)
        .filter((name) => !named.has(name)),
    ).toEqual([]);
  });
});

it('the README names every command', async () => {
  const names = wholeProgram().children.map((command) => command.name());
  expect(names).toContain('render');
  const readme = pages[0]?.text ?? '';
  expect(names.filter((name) => !new RegExp(`^\\|.*\`${name}[ \`]`, 'm').test(readme))).toEqual([]);
});

describe('networks in nmstate', () => {
  const examples = pages.flatMap(({ name, text }) =>
    readBlocks(text).flatMap(({ language, lines }) =>
      language === 'yaml' && lines.some((line) => line.includes('nmstate:'))
        ? [[name, lines.join('\n')]]
        : [],
    ),
  );

  it('are on several pages', () => expect(examples.length).toBeGreaterThan(2));

  // By its name, no interface of CoreOS is eth0.
  it.each(examples)('of %s find Ethernet interfaces by their MAC addresses', (_name, text) => {
    const cards = interfacesIn(loadYaml(text)).filter(({ type }) => type === 'ethernet');
    expect(cards.length).toBeGreaterThan(0);
    for (const card of cards) {
      expect(card).toMatchObject({ identifier: 'mac-address', 'mac-address': expect.any(String) });
    }
  });
});

/** All lists `interfaces` in a document. */
function interfacesIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'interfaces' && Array.isArray(part) ? part : interfacesIn(part),
  );
}

describe('options', () => {
  const declared = new Set(['--help', ...flagsOf(wholeProgram())]);
  /** What the text says is not there. */
  const others = new Set(['--reg']);

  it.each(pages.filter(({ name }) => name !== 'docs/rules.md').map(titled))(
    'that %s names are there',
    (_name, { text }) => {
      const code = [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
      const named = code.filter((part) => !/^(baremetal|npm|npx|node|podman) /.test(part));
      const flags = new Set(named.flatMap((part) => part.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []));
      expect([...flags].filter((flag) => !others.has(flag) && !declared.has(flag))).toEqual([]);
    },
  );
});

/** The text of a file, or of all in a folder. */
/** The long options of a command and of all below it. */
function flagsOf({ commands, options }: Command): string[] {
  return [...options.map(({ long }) => long ?? ''), ...commands.flatMap(flagsOf)];
}

describe('docs/architecture.md', () => {
  it('has every folder of src', () => {
    const page = pages.find(({ name }) => name === 'docs/architecture.md')?.text ?? '';
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const missing = folders.filter(({ name }) => !page.includes(`| \`src/${name}/\` |`));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('names files and folders that are there', () => {
    const page = pages.find(({ name }) => name === 'docs/architecture.md')?.text ?? '';
    const named = [
      ...page.matchAll(/`((?:bin|deploy|docs|schemas|scripts|src|templates|test)\/[\w./-]*)`/g),
    ].map((match) => match[1] ?? '');
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
