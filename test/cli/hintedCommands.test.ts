/** Every command and every option that a text of the program names exists, in the command that prints the text. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Command } from 'commander';
import { wholeProgram } from '../support/wholeProgram.ts';

const source = resolve(import.meta.dirname, '../../src');

/** Words and long and short options of a command and all commands below it, hidden ones included. */
interface Declared {
  readonly words: string;
  readonly options: ReadonlySet<string>;
}

function declaredBelow(command: Command, parents: readonly string[]): readonly Declared[] {
  const words = [...parents, command.name()].filter((word) => word !== 'ironic-coreos');
  const options = new Set(command.options.flatMap(({ short, long }) => [short ?? '', long ?? '']));
  return [
    { words: words.join(' '), options },
    ...command.commands.flatMap((child) => declaredBelow(child, words)),
  ];
}

const commands = declaredBelow(wholeProgram(), []);
const globals = new Set([...(commands[0]?.options ?? []), '--help', '-h']);

/** The commands of a shared folder, which print its texts; those of others are any. */
const SHARED: readonly (readonly [path: RegExp, commands: RegExp])[] = [
  [/^redfish\//, /^(?:boot|deploy)/],
  [/^redfish\/(?:messages|redfishError|redfishClient)\.ts$/, /^boot$/],
  [/^http\/server\//, /^(?:serve|controller)$/],
];

/** The commands of a folder of `src/commands`. */
const FOLDERS: Readonly<Record<string, RegExp>> = {
  boot: /^boot$/,
  controller: /^controller$/,
  deploy: /^deploy/,
  download: /^(?:download|list-stream)$/,
  inspect: /^inspect$/,
  iso: /^iso/,
  ignition: /^ignition/,
  prepare: /^prepare$/,
  pxe: /^pxe/,
  quickstart: /^quickstart$/,
  render: /^render$/,
  serve: /^(?:serve|controller|try|boot)$/,
  try: /^(?:try|boot)$/,
  validate: /^(?:validate|explain)$/,
};

/** Programs of others, whose options texts name. */
const OTHERS =
  /\b(?:podman|docker|curl|kubectl|oc|jq|openssl|openshift-install|ssh-keygen|butane|base64|systemctl|systemd-run|journalctl|bifrost-cli|nmstatectl|coreos-installer|build\.py|baremetal|mkpasswd|sed|truncate|xz|gzip|zstd|gpg|man|uname|timeout|dhcpd|ulimit|feature-gates)\b/;

/** Options of programs of others in texts that do not name the program, with the reason. */
const FOREIGN: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^agent\/(?:lint|profiles|unit\.ts|login\.ts)/, 'options of podman and agetty in units'],
  [/^kargs\/(?:loaders\/|dnsmasq|dhcpServers)/, 'scripts of boot loaders, and commands of DHCP servers'],
  [/^image\/sampleIso\.ts/, 'the menu of GRUB'],
  [/^commands\/deploy\/documents\/(?:node|deployment)\.ts/, 'commands for the client of Ironic'],
  [/^cli\/completion\.ts/, 'scripts of shells'],
];

/** The sentences in a file: string literals with an option or a command. */
function textsOf(path: string): readonly string[] {
  const code = readFileSync(join(source, path), 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  const literals = code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g);
  return Array.from(literals, ([, plain, template]) =>
    (plain ?? template ?? '').replaceAll('\\`', '`'),
  ).filter((text) => /[a-z]{2} [^ ]/.test(text));
}

/** The command that a text begins with, by its longest name. */
function commandAt(text: string): Declared | undefined {
  return commands
    .filter(({ words }) => words !== '' && new RegExp(`^${words}(?![\\w-])`).test(text))
    .toSorted((a, b) => b.words.length - a.words.length)[0];
}

function optionsIn(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/(?<=^|[\s(`"])(--[a-z][a-z-]*[a-z]|-[A-Za-z])(?=$|[\s,;:=)`".])/g),
    ([, option = '']) => option,
  );
}

/** What is not as the text says, in a file whose own commands are these. */
function problemsOf(text: string, own: RegExp): readonly string[] {
  const problems: string[] = [];
  const spans = Array.from(text.matchAll(/`([^`]+)`|"(ironic-coreos [^"]+)"/g), ([, ticked, quoted]) =>
    (ticked ?? quoted ?? '').replaceAll(/\s+/g, ' '),
  );
  for (const span of spans) {
    const isOwn = span.startsWith('ironic-coreos ');
    const line = span.replace(/^ironic-coreos /, '');
    const command = commandAt(line);
    if (command === undefined && isOwn && /^[a-z]/.test(line)) problems.push(`no command ${line}`);
    if (command === undefined) continue;
    for (const option of optionsIn(line.split(' | ', 1)[0] ?? '')) {
      if (!command.options.has(option) && !globals.has(option))
        problems.push(`${command.words} has no ${option}`);
    }
  }
  if (OTHERS.test(text)) return problems;
  const rest = text.replaceAll(/`[^`]+`|"ironic-coreos [^"]+"/g, '');
  const named = commands.filter(
    ({ words }) => words !== '' && new RegExp(`(?<![\\w-])${words}(?![\\w-])`).test(text),
  );
  const known = [...commands.filter(({ words }) => own.test(words)), ...named];
  for (const option of optionsIn(rest)) {
    const isKnown = globals.has(option) || known.some(({ options }) => options.has(option));
    if (!isKnown) problems.push(`no ${option} in ${own.source}`);
  }
  return problems;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);

/** The commands that report the rules of a file, whose hints name options as `{bmcAddress}`; default: both kinds of hosts. */
const PLACEHOLDERS: Readonly<Record<string, readonly string[]>> = {
  'bareMetalHost.ts': ['deploy baremetalhost'],
  'node.ts': ['deploy node'],
};

describe('placeholders of options in hints', () => {
  const folder = 'commands/deploy/documents/';
  const documents = readdirSync(join(source, folder)).filter((path) => path.endsWith('.ts'));
  it.each(documents)('%s', (path) => {
    const code = readFileSync(join(source, folder, path), 'utf8');
    const placed = Array.from(code.matchAll(/'[^'\n]*'/g)).flatMap(([text]) =>
      Array.from(text.matchAll(/(?<!\$)\{(\w+)\}/g), ([, name = '']) => name),
    );
    const words = PLACEHOLDERS[path] ?? ['deploy node', 'deploy baremetalhost'];
    const missing = words.flatMap((command) => {
      const options = commands.find((declared) => declared.words === command)?.options ?? new Set();
      return placed
        .map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
        .filter((option) => !options.has(option))
        .map((option) => `${command} has no ${option}`);
    });
    expect(missing).toEqual([]);
  });
});

describe('commands and options in texts', () => {
  it.each(files.filter((path) => !FOREIGN.some(([foreign]) => foreign.test(path))))('%s', (path) => {
    const shared = SHARED.findLast(([folder]) => folder.test(path))?.[1];
    const own = shared ?? FOLDERS[/^commands\/(\w+)\//.exec(path)?.[1] ?? ''] ?? /^/;
    const found = textsOf(path).flatMap((text) =>
      problemsOf(text, own).map((problem) => `${problem}: ${text}`),
    );
    expect(found).toEqual([]);
  });

  it('finds what does not exist', () => {
    expect(problemsOf('use `iso kargs modify --add x`, or run "ironic-coreos isos show"', /^iso/)).toEqual([
      'iso kargs modify has no --add',
      'no command isos show',
    ]);
    expect(problemsOf('set the host name with --hostname', /^iso/)).toEqual(['no --hostname in ^iso']);
    expect(problemsOf('set the host name with render --hostname NAME', /^iso/)).toEqual([]);
  });
});
