/**
 * What the systemd and the podman of this machine say about the units, drop-ins and quadlets of a config. `systemd-analyze verify`
 * and `quadlet -dryrun` read them in a private folder; nothing is started. Their releases are those of this machine and not of the
 * image, so each of their messages is a warning, and what only this machine lacks, such as other units and programs, is left out.
 */

import type { Finding } from '../../core/finding.ts';
import { once } from '../../core/once.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lintWarning, type Rule } from '../../core/rule.ts';
import type { Config } from '../../ignition/config.ts';
import type { Io } from '../../io/io.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import { withTempFolder } from '../../io/files/tempFile.ts';
import { findProgram, isProgram, runProgram } from '../../io/programs.ts';
import { report } from '../../io/report/report.ts';
import { listQuadlets, listUnits, type UnitSource } from './unitSources.ts';

export const unitToolRules = {
  unit: lintWarning(
    'unit-rejected-by-systemd',
    'the systemd of this machine ignores a line of the unit, or refuses the unit',
    'fix the unit; systemd.directives(7) lists the sections and keys',
  ),
  quadlet: lintWarning(
    'quadlet-rejected-by-podman',
    'the podman of this machine does not create a service from the quadlet',
    'fix the quadlet; podman-systemd.unit(5) lists the sections and keys',
  ),
};

/** The issues of a config; their paths start at its root. Messages contain no values of settings, which may be secret. */
export type CheckUnits = (config: Config) => Promise<readonly Finding[]>;

/**
 * A check for one run of a command: it searches for the programs once, and reports once which release has answered.
 * @param noteMissing receives a message once for each program that is not installed or fails (default: with `--verbose` only)
 */
export function createUnitCheck(
  io: Io,
  noteMissing = (message: string): void => io.note?.(message),
): CheckUnits {
  const checks = tools.map((tool) => createToolCheck(tool, io, noteMissing));
  return async (config) => (await Promise.all(checks.map((check) => check(config)))).flat();
}

/** What a program says about a file, as a whole or about a line of it. */
interface Complaint {
  /** Of the file, below the private folder. */
  readonly name: string;
  readonly line?: number | undefined;
  readonly reason: string;
}

interface Tool {
  readonly what: string;
  /** For the message that it is missing. */
  readonly program: string;
  /** Its name on PATH, which is preferred, and where distributions install it otherwise. */
  readonly places: readonly [name: string, ...paths: string[]];
  readonly rule: Rule;
  readonly list: (config: Config) => readonly UnitSource[];
  readonly ask: (
    program: string,
    sources: readonly UnitSource[],
    folder: string,
  ) => Promise<readonly Complaint[]>;
}

const tools: readonly Tool[] = [
  {
    what: 'units',
    program: 'systemd-analyze',
    places: ['systemd-analyze'],
    rule: unitToolRules.unit,
    list: listUnits,
    ask: verifyUnits,
  },
  {
    what: 'quadlets',
    program: 'quadlet of podman 4.4 or newer',
    places: [
      'quadlet',
      '/usr/libexec/podman/quadlet',
      '/usr/lib/podman/quadlet',
      '/usr/lib/systemd/system-generators/podman-system-generator',
    ],
    rule: unitToolRules.quadlet,
    list: listQuadlets,
    ask: convertQuadlets,
  },
];

async function findTool([name, ...paths]: Tool['places'], env: Io['env']): Promise<string | undefined> {
  const found = await findProgram(name, env);
  if (found !== undefined) return found;
  for (const path of paths) if (await isProgram(path)) return path;
  return undefined;
}

function createToolCheck(
  { ask, list, places, program, rule, what }: Tool,
  io: Io,
  noteMissing: (message: string) => void,
): CheckUnits {
  const find = once(() => findTool(places, io.env));
  const reportRelease = once(async (): Promise<void> => {
    const path = (await find()) ?? '';
    const [release = ''] = (await run(path, ['--version'])).stdout.split('\n');
    const message = `the ${what} are checked by ${path}, release ${release.slice(0, 80)}`;
    report(io, { severity: 'info', message });
  });
  let isMissing = false;
  const miss = (reason: string): readonly Finding[] => {
    isMissing = true;
    noteMissing(`the ${what} are not checked: ${reason}`);
    return [];
  };
  // Most hosts of an inventory have the units of the first one.
  let last: { readonly key: string; readonly issues: readonly Finding[] } | undefined;
  return async (config) => {
    const sources = list(config);
    if (sources.length === 0 || isMissing) return [];
    const key = JSON.stringify(sources);
    if (last?.key === key) return last.issues;
    const path = await find();
    if (path === undefined) return miss(`${program} is not installed`);
    try {
      const complaints = await withTempFolder(async (folder) => {
        for (const { name, text } of sources) await writeSource(join(folder, name), text);
        return ask(path, sources, folder);
      });
      const issues = toIssues(complaints, sources, rule);
      if (issues.length > 0) await reportRelease();
      last = { key, issues };
      return issues;
    } catch (error) {
      if (error instanceof ToolError) return miss(`${path} ${error.message}`);
      const code = errorCode(error);
      if (code === undefined) throw error;
      return miss(`no file can be written to ${tmpdir()} (${code})`);
    }
  };
}

async function writeSource(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o600 });
}

/** Each complaint once. Those about files that are not of the config are left out. */
function toIssues(complaints: readonly Complaint[], sources: readonly UnitSource[], rule: Rule): Finding[] {
  const issues = new Map<string, Finding>();
  for (const { line, name, reason } of complaints) {
    const path = sources.find((source) => source.name === name)?.path;
    if (path === undefined) continue;
    const about = line === undefined ? name : `${name}:${line}`;
    const message = `${about}: ${reason.replace(/\.$/, '')}`;
    issues.set(message, { ...rule, path, line, message });
  }
  return [...issues.values()];
}

async function verifyUnits(
  program: string,
  sources: readonly UnitSource[],
  folder: string,
): Promise<readonly Complaint[]> {
  const units = new Set(sources.map(({ name }) => name.replace(/\.d\/.*$/, '')));
  const names = [...units].filter((name) => name.includes('.'));
  // A drop-in is read only with its unit, which the image may have.
  const isWritten = (name: string): boolean =>
    sources.some((source) => source.name === name || source.name === name.replace(/@[^.]+\./, '@.'));
  for (const name of names) if (!isWritten(name)) await writeSource(join(folder, name), '[Unit]\n');
  const files = names.map((name) => join(folder, name));
  const variables = { SYSTEMD_UNIT_PATH: `${folder}:/usr/lib/systemd/system` };
  const { stderr } = await run(program, ['verify', '--man=no', ...files], variables);
  return readVerified(stderr, folder);
}

function readVerified(output: string, folder: string): Complaint[] {
  const complaints: Complaint[] = [];
  for (const text of output.split('\n')) {
    const [, file, line, reason = ''] = /^(.+?):(\d+): (.*)$/.exec(text) ?? [];
    if (file?.startsWith(`${folder}/`) === true) {
      const name = file.slice(folder.length + 1);
      complaints.push({ name, line: Number(line), reason: withoutValues(reason) });
      continue;
    }
    const [, refused, why = ''] = /^(\S+): (.+) Refusing\.$/.exec(text) ?? [];
    if (refused !== undefined) complaints.push({ name: refused, reason: `${withoutValues(why)} Refusing.` });
    const [, bad] = /^Unit (\S+) has a bad unit file setting\.$/.exec(text) ?? [];
    // The line follows the one with the reason.
    const isKnown = complaints.some(({ name }) => name === bad || name.startsWith(`${bad}.d/`));
    if (bad !== undefined && !isKnown) complaints.push({ name: bad, reason: 'bad unit file setting' });
  }
  return complaints;
}

/** systemd quotes a key or a section, or a value: behind a colon, or in quotes. A broken line of a secret may look like a key. */
function withoutValues(reason: string): string {
  const isName = /^Unknown (?:key|key name|section) '[\w-]{1,60}'(?:\.| in section [['][\w -]{1,60}[\]'],)/;
  if (isName.test(reason)) return reason;
  return reason.replace(/: .*$/s, '').replaceAll(/'[^'=]+'|"[^"]*"/g, "'…'");
}

/** One file that it cannot read keeps it from reading the others. */
async function convertQuadlets(
  program: string,
  sources: readonly UnitSource[],
  folder: string,
): Promise<readonly Complaint[]> {
  const { stderr } = await run(program, ['-dryrun', '-no-kmsg-log'], { QUADLET_UNIT_DIRS: folder });
  return readConverted(stderr, folder, sources);
}

function readConverted(output: string, folder: string, sources: readonly UnitSource[]): Complaint[] {
  return output.split('\n').flatMap((text): Complaint[] => {
    const [, file, why = ''] = /error loading "(.+?)", (.*)$/.exec(text) ?? [];
    if (file?.startsWith(`${folder}/`) === true) {
      const name = file.slice(folder.length + 1);
      const [, line] = /^file contains line (\d+): /.exec(why) ?? [];
      // The line itself may be the rest of a secret.
      if (line === undefined) return [{ name, reason: why.replace(/: .*$/s, '') }];
      return [{ name, line: Number(line), reason: 'not a key with a value, a group or a comment' }];
    }
    const [, name = '', reason] = /converting "(.+?)": (.*)$/.exec(text) ?? [];
    if (reason !== undefined) {
      const key = /\bkey '(\w+)'/.exec(reason)?.[1];
      const own = sources.find((source) => source.name === name)?.text.split('\n') ?? [];
      const line = key === undefined ? 0 : own.findIndex((it) => it.trimStart().startsWith(key)) + 1;
      return [{ name, line: line || undefined, reason: reason.replace(` in ${folder}/${name}`, '') }];
    }
    const [, warned, image] = /Warning: (\S+) specifies the (image ".*") which not a fully/.exec(text) ?? [];
    return warned === undefined
      ? []
      : [{ name: warned, reason: `${image} is not a fully qualified image name` }];
  });
}

/** Why a program cannot be asked, for a sentence that starts with its name. */
class ToolError extends Error {}

/** Bytes of output, and milliseconds, after which a program is killed. */
const MAX_OUTPUT = 4 * 1024 * 1024;
const TIMEOUT = 10_000;

/**
 * What a program has written, whatever its exit code. It gets only these variables, so that no setting of the user changes its
 * output.
 * @throws ToolError if it does not start, or was killed
 */
async function run(
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: '/', LC_ALL: 'C.UTF-8', ...variables };
  const options = { env, cwd: '/', timeout: TIMEOUT, maxBuffer: MAX_OUTPUT };
  const end = await runProgram(program, args, options).catch((error: unknown) => {
    throw new ToolError(`fails with ${errorCode(error)}`);
  });
  if (end.exitCode === undefined) throw new ToolError('was killed');
  return end;
}
