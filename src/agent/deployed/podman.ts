/** The command lines of podman by settings: what the container is made from, and what it gets. */

import type { ExecWord } from '../../formats/systemdQuoting.ts';
import { hardwareManagerFolder } from '../hardwareManagers.ts';
import type { PodmanCommand, PodmanOption } from '../lint/podmanCommand.ts';
import type { SettingName } from '../settingTable.ts';
import { type Entry, say, sayHidden } from './entry.ts';
import { anchorFolder } from './files.ts';
import { isSecretName } from '../../core/masking.ts';
import { sayVariable, sayWord, variableName } from './words.ts';

/** `pull` is what fetches the image before, if anything does. */
export function readPodmanEntries(run: PodmanCommand, pull?: PodmanCommand): Entry[] {
  return [
    ...readImages(run, pull),
    readPullPolicy(run, pull),
    ...run.options.flatMap((option) => readRunOption(option, pull === undefined ? '' : 'podman run ')),
    ...(pull?.options ?? []).map((option) => readPullOption(option)),
    ...run.operands.slice(1).map((word) => sayWord('command of the container', word)),
  ];
}

function readImages({ operands }: PodmanCommand, pull?: PodmanCommand): Entry[] {
  const [image] = operands;
  if (image === undefined) return [say('agent.image', 'none')];
  const pulled = pull?.operands ?? [];
  const [first] = pulled;
  if (pulled.length === 0 || (pulled.length === 1 && first?.text === image.text)) {
    return [sayWord('agent.image', image)];
  }
  return [...pulled.map((word) => sayWord('agent.image', word)), say('agent.image', `run as ${image.text}`)];
}

/** As the setting says it: fetched before and never again is `always`. */
function readPullPolicy({ options }: PodmanCommand, pull?: PodmanCommand): Entry {
  const given = options.findLast(({ name }) => name === 'pull');
  const policy = given === undefined ? 'missing' : (given.value?.text ?? 'always');
  const setting = 'agent.pullPolicy' satisfies SettingName;
  if (pull === undefined) return say(setting, policy);
  return say(setting, policy === 'never' ? 'always' : `always, and ${policy} when it starts`);
}

/** Short names of options that a setting stands for. */
const longNames: ReadonlyMap<string, string> = new Map([
  ['e', 'env'],
  ['v', 'volume'],
]);

/** `start` is for what is about the registry: nothing where this command fetches the image. */
function readRunOption(option: PodmanOption, start: string): Entry[] {
  const name = longNames.get(option.name) ?? option.name;
  const { value } = option;
  if (value === undefined) return [sayOption('agent.podman.args', option)];
  if (name === 'pull') return []; // told with the policy
  if (name === 'mount' || name === 'volume') return [readMount(name, value)];
  if (name === 'env') return readVariable(value);
  const shared = sharedSetting(name, value);
  if (shared !== undefined) return [sayOption(shared, option, start)];
  return [
    sayOption(
      name === 'log-driver' && value.text === 'journald' ? 'agent.debug' : 'agent.podman.args',
      option,
    ),
  ];
}

function readPullOption(option: PodmanOption): Entry {
  const { name, value } = option;
  const shared = value === undefined ? undefined : sharedSetting(name, value);
  return shared === undefined ? sayOption('agent.podman.pullArgs', option) : sayOption(shared, option);
}

/** What both commands take of the registry. */
function sharedSetting(name: string, { text }: ExecWord): SettingName | undefined {
  if (name === 'authfile') return 'agent.pullSecret';
  return name === 'tls-verify' && /^(?:0|f|false)$/i.test(text) ? 'agent.insecureRegistry' : undefined;
}

function readMount(kind: string, word: ExecWord): Entry {
  const { text } = word;
  const source = /(?:^|,)(?:src|source)=([^,]*)/.exec(text)?.[1] ?? text;
  const shown = kind === 'mount' ? '' : `${kind} `;
  if (source.startsWith(anchorFolder)) return sayWord('ironic.caFiles', word, 'mount ');
  if (`${source}/`.startsWith(`${hardwareManagerFolder}/`))
    return sayWord('agent.hardwareManagers', word, 'mount ');
  return sayWord('agent.podman.mounts', word, shown);
}

/** Variables by which the agent learns what is a setting here; empty ones say nothing to it. */
const variableSettings: ReadonlyMap<string, SettingName> = new Map([
  ['IPA_COREOS_IP_OPTIONS', 'host.installIpOptions'],
  ['IPA_COREOS_COPY_NETWORK', 'host.copyNetwork'],
  ['IPA_DEFAULT_HOSTNAME', 'host.hostname'],
]);

function readVariable(word: ExecWord): Entry[] {
  const name = variableName(word.text);
  const value = word.text.slice(name.length + 1);
  const setting = variableSettings.get(name);
  if (setting !== undefined) return value === '' ? [] : [sayWord(setting, { ...word, text: value })];
  const isModulePath = name === 'PYTHONPATH';
  return [sayVariable(isModulePath ? 'agent.hardwareManagers' : 'agent.podman.environment', word)];
}

function sayOption(setting: SettingName, { name, value }: PodmanOption, start = ''): Entry {
  const dashes = name.length === 1 ? '-' : '--';
  if (value === undefined) return say(setting, `${start}${dashes}${name}`);
  const assignment = `${start}${dashes}${name}${name.length === 1 ? ' ' : '='}`;
  if (isSecretName(name) && name !== 'secret') return sayHidden(setting, assignment, value.text);
  return sayWord(setting, value, assignment);
}
