// @ts-check
/**
 * Writes `src/agent/lint/podman-options.json`: the options of `podman run`, `create` and `pull`, by release, from a
 * Git repository of podman with its tags. Run it after a new release of podman:
 *
 *     node scripts/podmanOptions.js FOLDER
 *
 * They are read from the Go sources that declare them, hidden ones included; of each minor release since 4.0 the newest
 * patch release counts. Left out: what only the remote client has.
 */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [repository = ''] = process.argv.slice(2);
if (repository === '') throw new Error('usage: node scripts/podmanOptions.js FOLDER');

const oldestMajor = 4;

/** @param {readonly string[]} args @returns {string} */
function git(...args) {
  return execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });
}

/** The newest patch release of each minor release, the oldest first. */
function listReleases() {
  const newest = new Map();
  for (const tag of git('tag', '--sort=version:refname').split('\n')) {
    const [, major, minor] = /^v(\d+)\.(\d+)\.\d+$/.exec(tag) ?? [];
    if (major !== undefined && Number(major) >= oldestMajor) newest.set(`${major}.${minor}`, tag);
  }
  return [...newest].map(([release, tag]) => ({ release, tag }));
}

/** Where Go functions declare options, and of which commands: `podman` stands for options before the command. */
const declarations = [
  { path: 'cmd/podman/root.go', name: 'rootFlags', flags: 'lFlags', commands: ['podman'] },
  {
    path: 'cmd/podman/root.go',
    name: 'rootFlags',
    flags: 'pFlags',
    commands: ['podman', 'run', 'create', 'pull'],
  },
  { path: 'cmd/podman/common/create.go', name: 'DefineCreateFlags', commands: ['run', 'create'] },
  { path: 'cmd/podman/common/netflags.go', name: 'DefineNetFlags', commands: ['run', 'create'] },
  { path: 'cmd/podman/containers/run.go', name: 'runFlags', commands: ['run'] },
  { path: 'cmd/podman/containers/create.go', name: 'createFlags', commands: ['create'] },
  { path: 'cmd/podman/images/pull.go', name: 'pullFlags', commands: ['pull'] },
];

/** @param {string} source @param {string} name */
function bodyOf(source, name) {
  const start = source.indexOf(`\nfunc ${name}(`);
  if (start === -1) throw new Error(`no function ${name}`);
  return source.slice(start, source.indexOf('\n}\n', start));
}

/**
 * What runs for a container that is created on this host, by the conditions around it: neither the container of a pod nor
 * a clone, nor the remote client. The sources are formatted by gofmt, so that indentation shows where blocks end.
 * @param {string} body
 */
function activeLines(body) {
  /** @type {{ indent: string, holds: boolean }[]} */
  const blocks = [];
  return body.split('\n').filter((line) => {
    const [, indent = '', rest = ''] = /^(\t*)(.*)$/.exec(line) ?? [];
    const block = blocks.at(-1);
    if (block?.indent === indent && rest === '} else {') block.holds = !block.holds;
    else if (block?.indent === indent && rest === '}') blocks.pop();
    const [, condition] = /^if (.*) \{$/.exec(rest) ?? [];
    if (condition !== undefined) blocks.push({ indent, holds: doesHold(condition) });
    return blocks.every(({ holds }) => holds);
  });
}

/** @param {string} condition */
function doesHold(condition) {
  return condition.split('||').some((part) =>
    part.split('&&').every((atom) => {
      const text = atom.replaceAll(/^[\s(]+|[\s)]+$/g, '').replace(/\($/, '');
      if (text.startsWith('mode == ')) return text === 'mode == entities.CreateMode';
      if (/^!(?:isInfra|clone|registry\.IsRemote\(?)$/.test(text)) return true;
      if (/^(?:isInfra|clone|registry\.IsRemote\(?)$/.test(text)) return false;
      return true; // such as err != nil
    }),
  );
}

/** A switch that knows whether it was given. */
const optionalSwitch = /OptionalBoolFlag\(\s*\w+,\s*&[^,]+,\s*"([\w-]+)"/g;

const declaration =
  /\b(\w*[fF]lags)\.([A-Z][a-z0-9]+(?:Array|Slice)?)(?:Var)?(P)?\(\s*(?:&[^,]+,\s*)?(?:"([\w-]+)"|(\w+)),\s*(?:"(\w)")?/g;

/** @param {string} tag @param {(typeof declarations)[number]} place */
function readFlags(tag, { path, name, flags }) {
  const text = activeLines(bodyOf(git('show', `${tag}:${path}`), name)).join('\n');
  const names = new Map([...text.matchAll(/(\w+) :?= "([\w-]+)"/g)].map(([, key, value]) => [key, value]));
  const switches = [...text.matchAll(optionalSwitch)].map(([, option = '']) => ({
    option,
    isSwitch: true,
    short: undefined,
  }));
  const others = [...text.matchAll(declaration)].flatMap(
    ([, set, type, hasShort, literal, variable, short]) => {
      const option = literal ?? names.get(variable);
      if (type === 'Mark' || (flags !== undefined && set !== flags) || option === undefined) return [];
      return [{ option, isSwitch: type === 'Bool', short: hasShort === undefined ? undefined : short }];
    },
  );
  return [...switches, ...others];
}

/** Other names of options of run and create, by the function that podman reads them with. @param {string} tag */
function readAliases(tag) {
  const body = bodyOf(git('show', `${tag}:cmd/podman/utils/alias.go`), 'AliasFlags');
  return [...body.matchAll(/case "([\w-]+)":\s+name = "([\w-]+)"/g)].map(([, alias = '', of = '']) => ({
    alias,
    of,
  }));
}

/** @typedef {{ isSwitch: boolean, short?: string | undefined, releases: string[] }} Seen */

const releases = listReleases();
/** @type {Map<string, Map<string, Seen>>} */
const commands = new Map(['podman', 'run', 'create', 'pull'].map((name) => [name, new Map()]));

/** @param {string} command @param {string} option @param {Omit<Seen, 'releases'>} facts @param {string} release */
function see(command, option, facts, release) {
  const options = commands.get(command) ?? new Map();
  const before = options.get(option)?.releases ?? [];
  const seen = before.includes(release) ? before : [...before, release];
  options.set(option, { ...facts, releases: seen });
}

for (const { release, tag } of releases) {
  for (const place of declarations) {
    for (const { option, ...facts } of readFlags(tag, place)) {
      for (const command of place.commands) see(command, option, facts, release);
    }
  }
  for (const { alias, of } of readAliases(tag)) {
    for (const command of ['run', 'create']) {
      const option = commands.get(command)?.get(of);
      if (option?.releases.includes(release)) see(command, alias, { isSwitch: option.isSwitch }, release);
    }
  }
  // The library adds these by itself.
  for (const command of commands.keys()) see(command, 'help', { isSwitch: true, short: undefined }, release);
  see('podman', 'version', { isSwitch: true, short: 'v' }, release);
}

const [first, last] = [releases.at(0), releases.at(-1)];

/** @param {Seen} seen */
function describe({ isSwitch, short, releases: seen }) {
  return {
    ...(isSwitch ? { switch: true } : {}),
    ...(short === undefined ? {} : { short }),
    ...(seen[0] === first?.release ? {} : { since: seen[0] }),
    ...(seen.at(-1) === last?.release ? {} : { last: seen.at(-1) }),
  };
}

const knowledge = {
  podmanVersion: last?.tag.slice(1),
  oldestVersion: first?.release,
  commands: Object.fromEntries(
    [...commands].map(([name, options]) => [
      name,
      Object.fromEntries(
        [...options]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([option, seen]) => [option, describe(seen)]),
      ),
    ]),
  ),
};
const target = join(import.meta.dirname, '../src/agent/lint/podman-options.json');
writeFileSync(target, `${JSON.stringify(knowledge, undefined, 2)}\n`);
