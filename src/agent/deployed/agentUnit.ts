/**
 * The unit that starts the agent's container, by settings: its environment and the command lines of podman are taken
 * apart, whatever else it has is told line by line.
 */

import { FormatError } from '../../core/errors.ts';
import { type ExecWord, splitEnvironmentLine, splitExecLine } from '../../formats/systemdQuoting.ts';
import { effectiveSettings, type HostUnit, type UnitCommand, type UnitSetting } from '../lint/subject.ts';
import { type Entry, say } from './entry.ts';
import { readPodmanEntries } from './podman.ts';
import { readState, sayLine } from './units.ts';
import { sayVariable, variableName } from './words.ts';

export interface AgentUnit {
  readonly entries: readonly Entry[];
  /** What the unit says about proxies, by the name of the variable in capitals. */
  readonly proxy: ReadonlyMap<string, string>;
}

/** Reads the unit that has the command `run`, the only one that starts the agent. */
export function readAgentUnit({ name, unit, settings, commands }: HostUnit, run: UnitCommand): AgentUnit {
  const setting = `unit ${name}`;
  const pulls = commands.filter(({ podman }) => podman.verb === 'pull');
  const pull = pulls.length === 1 ? pulls[0] : undefined;
  const understood = [run, ...(pull === undefined ? [] : [pull])].filter(isUnderstood);
  const runs = new Map(understood.map((command) => [command.setting, command]));
  const environment = readEnvironment(setting, settings);
  const lines = settings.flatMap((line) => {
    const command = runs.get(line);
    if (command !== undefined) return sayCommand(setting, command);
    if (line.name === 'Environment' && environment !== undefined) return [];
    return [sayLine(setting, line)];
  });
  const isRead = understood.includes(run);
  const podman = isRead
    ? readPodmanEntries(run.podman, pull !== undefined && understood.includes(pull) ? pull.podman : undefined)
    : [];
  return {
    entries: [...podman, ...readState(setting, unit), ...(environment?.entries ?? []), ...lines],
    proxy: environment?.proxy ?? new Map(),
  };
}

/** Whether the line is one command that is known in all its parts. */
function isUnderstood({ podman, setting }: UnitCommand): boolean {
  return podman.isSure && splitExecLine(setting.value).length === 1;
}

/** The start of the command; all of it where escaped and unescaped specifiers can no longer be told apart. */
function sayCommand(setting: string, { podman, setting: line }: UnitCommand): Entry[] {
  const [words = []] = splitExecLine(line.value);
  const [program] = words;
  const isAmbiguous = words.some(({ expands }) => expands) && /%%|\$\$/.test(line.value);
  if (isAmbiguous || program?.expands === true) return [sayLine(setting, line)];
  return [say(setting, `[${line.section}] ${line.name}=${program?.text} ${podman.verb} …`)];
}

interface Environment {
  readonly entries: readonly Entry[];
  readonly proxy: ReadonlyMap<string, string>;
}

const proxyNames = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']);

/** Undefined where a line cannot be taken apart. */
function readEnvironment(setting: string, settings: readonly UnitSetting[]): Environment | undefined {
  const words = splitEnvironment(effectiveSettings(settings, 'Environment'));
  if (words === undefined) return undefined;
  const variables = new Map(words.map(({ text, expands }) => [variableName(text), { text, expands }]));
  const proxy = new Map<string, string>();
  const entries: Entry[] = [];
  for (const name of [...variables.keys()].toSorted()) {
    const { text, expands } = variables.get(name) ?? { text: name, expands: false };
    const value = text.slice(name.length + 1);
    if (proxyNames.has(name) && !expands) proxy.set(name, value);
    else entries.push(sayVariable(setting, { text, expands }, 'Environment='));
  }
  return { entries, proxy };
}

function splitEnvironment(lines: readonly UnitSetting[]): ExecWord[] | undefined {
  try {
    return lines.flatMap(({ value }) => splitEnvironmentLine(value));
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
