/** docs/formats.md: its examples are run, and what they print is checked by the schemas that it names. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from './support/liveIso.ts';
import { runCli } from './support/runCli.ts';
import type { ProgramCommand } from '../src/cli/program.ts';
import { choicesOf, wholeProgram, withDescendants } from './support/wholeProgram.ts';

const docs = resolve(import.meta.dirname, '../docs');
const text = readFileSync(join(docs, 'formats.md'), 'utf8');

const rows = [
  ...text.matchAll(
    /^\| `([^`]+)` \| \[[^\]]+\]\(([^)]+)\)(, one document per line)? \| `ironic-coreos ([^`]+)` \|$/gm,
  ),
].map(([, command = '', schema = '', lines, args = '']) => ({
  command,
  schema,
  args,
  isLines: lines !== undefined,
}));

let cwd: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'formats '));
  const run = async (...args: string[]) => expect(await runCli(args, { cwd })).toMatchObject({ code: 0 });
  writeFileSync(join(cwd, 'site.ign'), '{"ignition": {"version": "3.4.0"}}');
  writeFileSync(
    join(cwd, 'eth0.nmconnection'),
    '[connection]\nid=eth0\ntype=ethernet\ninterface-name=eth0\n',
  );
  writeFileSync(join(cwd, 'ipa.iso'), liveIso('2023-07'));
  await run(
    'render',
    '--api-url',
    'https://192.0.2.2',
    '--agent-image',
    'registry.example.com/ironic-agent',
    '--no-ssh-key',
    '-o',
    'worker.ign',
  );
  await run('iso', 'ignition', 'embed', '-i', 'worker.ign', 'ipa.iso');
  await run('iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'ipa.iso');
  await run('pxe', 'network', 'wrap', '-k', 'eth0.nmconnection', '-o', 'network.img');
  const file = { location: 'https://example.com/a', sha256: 'ab'.repeat(32) };
  const metal = { release: '1', formats: { pxe: { rootfs: file, kernel: file }, iso: { disk: file } } };
  const metadata = { stream: 'stable', architectures: { x86_64: { artifacts: { metal } } } };
  writeFileSync(join(cwd, 'rhcos.json'), JSON.stringify(metadata));
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const hasJson = (path: string): boolean =>
  withDescendants(wholeProgram()).some((one) => one.path === `ironic-coreos ${path}` && printsJson(one));

const printsJson = (command: ProgramCommand): boolean =>
  command.options.some((option) => option.long === '--format' && choicesOf(option)?.includes('json'));

describe('docs/formats.md', () => {
  it.each(rows)('$args by $schema', async ({ args, schema, isLines }) => {
    const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strict: false }).compile(
      JSON.parse(readFileSync(join(docs, schema), 'utf8')),
    );
    const { stdout, stderr } = await runCli(args.split(' '), { cwd });
    expect(stderr).not.toContain('error: ');
    const documents = isLines ? stdout.trimEnd().split('\n') : [stdout];
    for (const document of documents) {
      validate(JSON.parse(document));
      expect(validate.errors).toBeNull();
    }
    expect(documents.join('').length).toBeGreaterThan(40);
    const known: unknown = JSON.parse(readFileSync(join(docs, schema), 'utf8'));
    expect(isOpen(known)).toBe(true);
  });

  it('names every command that has JSON', () => {
    const missing = withDescendants(wholeProgram())
      .filter(printsJson)
      .map(({ path }) => path.replace('ironic-coreos ', ''))
      .filter((name) => !text.includes(`\`${name}`));
    expect(missing).toEqual([]);
  });

  it('names every other command, and says why it has none', () => {
    const paths = (command: Command, parents: readonly string[] = []): string[] =>
      command.commands.flatMap((child) => {
        const words = [...parents, child.name()];
        return child.commands.length === 0 ? [words.join(' ')] : paths(child, words);
      });
    const named = new Set([...text.matchAll(/`([a-z_][^`]*)`/g)].map(([, name = '']) => name));
    const isNamed = (path: string): boolean => [...named].some((name) => `${name} `.startsWith(`${path} `));
    const all = paths(wholeProgram());
    expect(all.filter((path) => !isNamed(path))).toEqual([]);
    const reasons = text.slice(text.indexOf('| command | reason |')).split('\n').slice(2);
    const excused = reasons.flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(excused.filter((name) => !all.includes(name))).toEqual([]);
    expect(excused.filter((name) => hasJson(name))).toEqual([]);
  });

  it('links to what is there', () => {
    const links = [...text.matchAll(/\]\((\.\.[^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !existsSync(join(docs, link)))).toEqual([]);
  });
});

/** A schema that refuses nothing proves nothing. */
function isOpen(schema: unknown): boolean {
  return (
    typeof schema === 'object' &&
    schema !== null &&
    ('required' in schema || 'items' in schema || 'properties' in schema)
  );
}
