/**
 * Parses podman commands in units, as far as the lint needs them: image, mounts and options. Commands in scripts and shells are
 * not parsed.
 */

import { cutText } from '../../formats/goText.ts';
import type { ExecWord } from '../../formats/systemdQuoting.ts';

export interface PodmanCommand {
  /** `run`, `create` or `pull`. */
  readonly verb: string;
  /** In order; names without dashes, short options as written. The value of a switch is absent unless given. */
  readonly options: readonly PodmanOption[];
  /** The image and the words after it; for `pull` the images. */
  readonly operands: readonly ExecWord[];
}

interface PodmanOption {
  readonly name: string;
  readonly value?: ExecWord;
}

/** Options that take no word behind them as their value. */
const podmanSwitches: ReadonlySet<string> = new Set(
  `all-tags debug detach env-host http-proxy init interactive no-healthcheck no-hostname no-hosts oom-kill-disable passwd
  privileged publish-all quiet read-only read-only-tmpfs remote replace rm rmi rootfs sig-proxy syslog tls-verify tty
  unsetenv-all`.split(/\s+/),
);

/** The short names of switches: `-dit`. */
const SHORT_SWITCH = /^[DPdiqrt]$/;

/** Parses the words of one command; undefined if it is not a supported podman command. */
export function readPodmanCommand(command: readonly ExecWord[]): PodmanCommand | undefined {
  if (command[0]?.text.endsWith('podman') !== true) return undefined;
  const [program, ...rest] = command;
  const [, prefix = '', path = ''] = /^([-@:+!|]*)(.*)$/s.exec(program?.text ?? '') ?? [];
  if (path.slice(path.lastIndexOf('/') + 1) !== 'podman') return undefined;
  // With the prefix @, the word after the program is its argv[0].
  const global = readOptions(prefix.includes('@') ? rest.slice(1) : rest, 'podman');
  const [first, ...others] = global.operands;
  const isGroup = first?.text === 'container' || first?.text === 'image';
  const verb = (isGroup ? others[0] : first)?.text ?? '';
  if (!/^(?:create|pull|run)$/.test(verb)) return undefined;
  const own = readOptions(isGroup ? others.slice(1) : others, verb);
  return { verb, options: [...global.options, ...own.options], operands: own.operands };
}

/** The values of an option under any of its names, in order. */
export function optionValues({ options }: PodmanCommand, ...names: readonly string[]): ExecWord[] {
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
}

/** Whether a switch is on; the last occurrence counts. */
export function isOptionSet({ options }: PodmanCommand, name: string): boolean {
  const last = options.findLast((option) => option.name === name);
  return last !== undefined && (last.value === undefined || /^(?:1|t|true)$/i.test(last.value.text));
}

/** Whether the container gets the trust store of the host. */
export function getsTrustStore(command: PodmanCommand): boolean {
  return bindMounts(command).some(({ target }) => /^\/etc(?:\/?$|\/(?:pki|ssl)(?:\/|$))/.test(target));
}

/** Bind mounts of the container, from `--mount` and `--volume`: paths on the host and in the container. */
export function bindMounts(command: PodmanCommand) {
  const mounts = optionValues(command, 'mount').map(({ text }) => {
    const fields = new Map(text.split(',').map((field) => cutText(field, '=')));
    if ((fields.get('type') ?? 'volume') !== 'bind') return undefined;
    const source = fields.get('src') ?? fields.get('source');
    const target =
      fields.get('dst') ?? fields.get('dest') ?? fields.get('destination') ?? fields.get('target');
    return source === undefined ? undefined : { source, target: target ?? source };
  });
  const volumes = optionValues(command, 'volume', 'v').map(({ text }) => {
    const [source = '', target] = text.split(':');
    // Without a leading slash, the source is the name of a volume.
    return source.startsWith('/') && target !== undefined ? { source, target } : undefined;
  });
  return [...mounts, ...volumes].filter((mount) => mount !== undefined);
}

/** Behind the first operand, options belong to the container; those of `pull` may follow an image. */
function readOptions(words: readonly ExecWord[], verb: string): Pick<PodmanCommand, 'operands' | 'options'> {
  const options: PodmanOption[] = [];
  const operands: ExecWord[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (word === undefined) break;
    const isOperand = !word.text.startsWith('-') || word.text === '-';
    if (word.text === '--' || (isOperand && verb !== 'pull')) {
      for (const operand of words.slice(isOperand ? index : index + 1)) operands.push(operand);
      break;
    }
    if (isOperand) {
      operands.push(word);
      continue;
    }
    const found = readOption(word);
    const last = found.pop();
    if (last === undefined) continue;
    const isSwitch = podmanSwitches.has(last.name) || SHORT_SWITCH.test(last.name);
    const next = last.value === undefined && !isSwitch ? words[++index] : undefined;
    for (const option of found) options.push(option);
    options.push(next === undefined ? last : { ...last, value: next });
  }
  return { options, operands };
}

/**
 * `--name`, `--name=value`, `-it`, `-vSRC:DST`: short switches may share a dash, and the rest of the word is the value of the last
 * option.
 */
function readOption(word: ExecWord): PodmanOption[] {
  if (word.text.startsWith('--')) {
    const [name, value] = cutText(word.text.slice(2), '=');
    return [word.text.includes('=') ? { name, value: { ...word, text: value } } : { name }];
  }
  const [, switches = '', name = '', value = ''] = /^-([DPdiqrt]*)([^=]?)=?(.*)$/su.exec(word.text) ?? [];
  const options: PodmanOption[] = Array.from(switches, (letter) => ({ name: letter }));
  if (name !== '') options.push({ name, ...(value !== '' && { value: { ...word, text: value } }) });
  return options;
}
