/**
 * Reads the unit that starts the agent's container back into settings: its environment and the podman commands are
 * parsed, all other lines are reported unchanged.
 */

import { ifWellFormed } from '../../core/errors.ts';
import { cutText } from '../../formats/goText.ts';
import { type ExecWord, splitEnvironmentLine, splitExecLine } from '../../formats/systemdQuoting.ts';
import {
  compareText,
  effectiveSettings,
  type LintedUnit,
  type UnitCommand,
  type UnitSetting,
} from '../lint/subject.ts';
import { type Entry, readState, textEntry, hiddenEntry, lineEntry } from './entries.ts';
import { anchorFolder, hardwareManagerFolder } from '../files.ts';
import { optionTable, type PodmanCommand, type PodmanOption } from '../lint/podmanCommand.ts';
import type { SettingName } from '../settingTable.ts';
import { isSecretName } from '../../core/masking.ts';

export interface AgentUnit {
  readonly entries: readonly Entry[];
  /** The proxy variables of the unit, by name in capitals. */
  readonly proxy: ReadonlyMap<string, string>;
}

/** Reads the unit with the command `run`, the only one that starts the agent. */
export function readAgentUnit({ name, unit, settings, pulls }: LintedUnit, run: UnitCommand): AgentUnit {
  const setting = `unit ${name}`;
  const pull = pulls.length === 1 ? pulls[0] : undefined;
  const understood = [run, ...(pull === undefined ? [] : [pull])].filter(isUnderstood);
  const environment = readEnvironment(setting, settings);
  const lines = settings.flatMap((line) => {
    const command = understood.find((known) => known.setting === line);
    if (command !== undefined) return commandEntries(setting, command);
    if (line.name === 'Environment' && environment !== undefined) return [];
    return [lineEntry(setting, line)];
  });
  const understoodPull = understood.find((command) => command === pull)?.podman;
  const podman = understood.includes(run) ? readPodmanEntries(run.podman, understoodPull) : [];
  return {
    entries: [...podman, ...readState(setting, unit), ...(environment?.entries ?? []), ...lines],
    proxy: environment?.proxy ?? new Map(),
  };
}

/** Whether the line consists of one command that could be parsed completely. */
function isUnderstood({ podman, setting }: UnitCommand): boolean {
  return podman.isSure && splitExecLine(setting.value).length === 1;
}

/** The start of the command; the whole line if escaped and unescaped specifiers can no longer be distinguished. */
function commandEntries(setting: string, { podman, setting: line }: UnitCommand): Entry[] {
  const [words = []] = splitExecLine(line.value);
  const [program] = words;
  const isAmbiguous = words.some(({ expands }) => expands) && /%%|\$\$/.test(line.value);
  if (isAmbiguous || program?.expands === true) return [lineEntry(setting, line)];
  return [textEntry(setting, `[${line.section}] ${line.name}=${program?.text} ${podman.verb} …`)];
}

const proxyNames = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']);

/** Undefined if a line cannot be parsed. */
function readEnvironment(setting: string, settings: readonly UnitSetting[]): AgentUnit | undefined {
  const assignments = effectiveSettings(settings, 'Environment');
  const words = ifWellFormed(() => assignments.flatMap(({ value }) => splitEnvironmentLine(value)));
  if (words === undefined) return undefined;
  const variables = new Map(words.map((word) => [cutText(word.text, '=')[0], word]));
  const proxy = new Map<string, string>();
  const entries: Entry[] = [];
  for (const [name, word] of [...variables].toSorted(([a], [b]) => compareText(a, b))) {
    if (proxyNames.has(name) && !word.expands) proxy.set(name, cutText(word.text, '=')[1]);
    else entries.push(variableEntry(setting, word, 'Environment='));
  }
  return { entries, proxy };
}

/** `pull` is the command that pulls the image first, if any. */
function readPodmanEntries(run: PodmanCommand, pull?: PodmanCommand): Entry[] {
  return [
    ...readImages(run, pull),
    readPullPolicy(run, pull),
    ...run.options.flatMap((option) => readRunOption(option, pull === undefined ? '' : 'podman run ')),
    ...(pull?.options ?? []).map((option) => readPullOption(option)),
    ...run.operands.slice(1).map((word) => wordEntry('command of the container', word)),
  ];
}

function readImages({ operands }: PodmanCommand, pull?: PodmanCommand): Entry[] {
  const [image] = operands;
  if (image === undefined) return [textEntry('agent.image', 'none')];
  const pulled = pull?.operands ?? [];
  const [first] = pulled;
  if (pulled.length === 0 || (pulled.length === 1 && first?.text === image.text)) {
    return [wordEntry('agent.image', image)];
  }
  return [
    ...pulled.map((word) => wordEntry('agent.image', word)),
    textEntry('agent.image', `run as ${image.text}`),
  ];
}

/** The value of the setting: an image that is pulled first and then never again has the policy `always`. */
function readPullPolicy({ options }: PodmanCommand, pull?: PodmanCommand): Entry {
  const given = options.findLast(({ name }) => name === 'pull');
  const policy = given === undefined ? 'missing' : (given.value?.text ?? 'always');
  const setting = 'agent.pullPolicy' satisfies SettingName;
  if (pull === undefined) return textEntry(setting, policy);
  return textEntry(setting, policy === 'never' ? 'always' : `always, and ${policy} when it starts`);
}

/** `start` is the prefix of registry options; empty if this command pulls the image. */
function readRunOption(option: PodmanOption, start: string): Entry[] {
  // A short option such as `-e` is treated like its long name.
  const name = optionTable('run')?.options.get(option.name)?.name ?? option.name;
  const { value } = option;
  if (value === undefined) return [optionEntry('agent.podman.args', option)];
  if (name === 'pull') return []; // shown as the pull policy
  if (name === 'mount' || name === 'volume') return [readMount(name, value)];
  if (name === 'env') return readVariable(value);
  const shared = sharedSetting(name, value);
  if (shared !== undefined) return [optionEntry(shared, option, start)];
  const isDebug = name === 'log-driver' && value.text === 'journald';
  return [optionEntry(isDebug ? 'agent.debug' : 'agent.podman.args', option)];
}

function readPullOption(option: PodmanOption): Entry {
  const { name, value } = option;
  const shared = value === undefined ? undefined : sharedSetting(name, value);
  return shared === undefined ? optionEntry('agent.podman.pullArgs', option) : optionEntry(shared, option);
}

/** Registry settings that both commands have. */
function sharedSetting(name: string, { text }: ExecWord): SettingName | undefined {
  if (name === 'authfile') return 'agent.pullSecret';
  return name === 'tls-verify' && /^(?:0|f|false)$/i.test(text) ? 'agent.insecureRegistry' : undefined;
}

function readMount(kind: string, word: ExecWord): Entry {
  const { text } = word;
  const source = /(?:^|,)(?:src|source)=([^,]*)/.exec(text)?.[1] ?? text;
  const shown = kind === 'mount' ? '' : `${kind} `;
  if (source.startsWith(anchorFolder)) return wordEntry('ironic.caFiles', word, 'mount ');
  if (`${source}/`.startsWith(`${hardwareManagerFolder}/`))
    return wordEntry('agent.hardwareManagers', word, 'mount ');
  return wordEntry('agent.podman.mounts', word, shown);
}

/** Variables of the agent that correspond to a setting; empty ones have no effect. */
const variableSettings: ReadonlyMap<string, SettingName> = new Map([
  ['IPA_COREOS_IP_OPTIONS', 'host.installIpOptions'],
  ['IPA_COREOS_COPY_NETWORK', 'host.copyNetwork'],
  ['IPA_DEFAULT_HOSTNAME', 'host.hostname'],
]);

function readVariable(word: ExecWord): Entry[] {
  const [name, value] = cutText(word.text, '=');
  const setting = variableSettings.get(name);
  if (setting !== undefined) return value === '' ? [] : [wordEntry(setting, { ...word, text: value })];
  const isModulePath = name === 'PYTHONPATH';
  return [variableEntry(isModulePath ? 'agent.hardwareManagers' : 'agent.podman.environment', word)];
}

function optionEntry(setting: SettingName, { name, value }: PodmanOption, start = ''): Entry {
  const dashes = name.length === 1 ? '-' : '--';
  if (value === undefined) return textEntry(setting, `${start}${dashes}${name}`);
  const assignment = `${start}${dashes}${name}${name.length === 1 ? ' ' : '='}`;
  if (isSecretName(name) && name !== 'secret') return hiddenEntry(setting, assignment, value.text);
  return wordEntry(setting, value, assignment);
}

/** The word with the prefix `start`. A word that systemd expands differs from the same text without expansion. */
function wordEntry(setting: string, { text, expands }: ExecWord, start = ''): Entry {
  const whole = start + text;
  return textEntry(setting, whole, expands ? `${whole} (expands)` : whole);
}

/** `NAME=value`; the value is hidden if the name is like that of a secret. */
function variableEntry(setting: string, word: ExecWord, start = ''): Entry {
  const [name, value] = cutText(word.text, '=');
  const isSecret = value !== '' && isSecretName(name);
  return isSecret ? hiddenEntry(setting, `${start}${name}=`, value) : wordEntry(setting, word, start);
}
