/** Adapts arguments that were written for other programs, and adds hints to usage errors. */

import { quoteShellWord } from '../formats/shell.ts';
import { quoteText } from '../core/foreignText.ts';
import type { Command } from 'commander';

/** Rewrites the arguments of a command into the form that commander expects. */
export function adaptArguments(args: readonly string[], command: Command): string[] {
  const isGo = goPrograms.has(command.name());
  let next: 'argument' | 'value' | 'rest' = 'argument';
  return args.map((arg) => {
    if (next === 'rest') return arg;
    if (next === 'value') {
      next = 'argument';
      return arg;
    }
    // `-listen` becomes `--listen`: the Go programs that these commands replace accept both forms.
    const flag = `-${arg.replace(/=.*/s, '')}`;
    const text = isGo && command.options.some(({ long }) => long === flag) ? `-${arg}` : arg;
    if (text === '--') next = 'rest';
    else if (command.options.some((it) => it.required && [it.long, it.short].includes(text))) next = 'value';
    // `-o=FILE` becomes `-oFILE`; commander would make `=` a part of the value.
    return /^-[a-zA-Z]=./.test(text) ? text.slice(0, 2) + text.slice(3) : text;
  });
}

const goPrograms: ReadonlySet<string> = new Set(['serve', 'controller']);

/** The usage of a command in one line, with a reference to `--help`. */
export function usageLine(command: Command): string {
  return `usage: ${command.createHelp().commandUsage(command)} (see --help)\n`;
}

/**
 * Commander's message, with a hint for an argument too many, and for an unknown option that has another name in this
 * program, or that this command reads from its inventory.
 */
export async function explainUsageError(text: string, command: Command): Promise<string> {
  const [, name = ''] = /^unknown option '--?([^'=]+)/.exec(text) ?? [];
  const hint = text.startsWith('too many arguments')
    ? hintArgument(command)
    : (hintOption(name, command) ?? (await hintSetting(name, command)));
  // Commander's own suggestion compares spelling only.
  return hint === undefined ? text : `${text.split('\n', 1)[0]}\n${hint}`;
}

/** Other programs take the config as an argument. */
function hintArgument(command: Command): string {
  const { args, registeredArguments } = command;
  const option = args.some((arg) => /\.(?:ign|json|ya?ml)$/.test(arg))
    ? hintOption('config', command)
    : undefined;
  const extra = args[registeredArguments.length] ?? '';
  const { inventory } = command.opts<{ readonly inventory?: string }>();
  const flag = inventory === undefined ? '--name' : '--host';
  if (option === undefined && command.options.some(({ long }) => long === flag))
    return `hint: pass the name of a host with ${flag} ${quoteShellWord(extra)}`;
  return option ?? `hint: remove ${quoteText(extra)}, or quote an argument that contains spaces`;
}

function ownNames(name: string): readonly string[] {
  return FOREIGN_NAMES.find(({ foreign }) => foreign.split(' ').includes(name))?.own.split(' ') ?? [];
}

/** Commands that create the configs of hosts read the settings that are options of `render` from a file. */
async function hintSetting(name: string, { options }: Command): Promise<string | undefined> {
  const has = (flag: string): boolean => options.some(({ long }) => long === flag);
  const file = has('--settings') ? '--settings' : '--inventory';
  if (!has(file) || !has('--iso')) return undefined;
  const { settingTable } = await import('../agent/settingTable.ts');
  const flags = new Set([`--${name}`, ...ownNames(name)]);
  const setting = settingTable.find(({ flag = '', alias = '' }) =>
    [flag, alias].some((text) => flags.has(text.split(' ', 1)[0] ?? '')),
  );
  return setting && `hint: set "${setting.name}" below "agent" in the file of ${file}`;
}

function hintOption(name: string, { options }: Command): string | undefined {
  const likely = ownNames(name);
  const [first, ...others] = options.filter(({ long, hidden }) => likely.includes(long ?? '') && !hidden);
  if (first === undefined) return undefined;
  if (others.length === 0) return `hint: use ${first.flags}: ${first.description}`;
  return `hint: use one of ${[first, ...others].map(({ flags }) => flags).join(', ')}`;
}

/** Names of options in other programs and commands, and their names in this program. */
const FOREIGN_NAMES: readonly { readonly foreign: string; readonly own: string }[] = [
  {
    foreign:
      'ironic ironic-url ironic-api ironic-api-url ironic-base-url ironic-endpoint ironic-host ironic-ip api ' +
      'api-url ipa-api-url os-endpoint',
    own: '--api-url --ironic-url',
  },
  { foreign: 'url endpoint base-url', own: '--api-url --ironic-url --base-url --public-url --image-url' },
  { foreign: 'public-url publish-url external-url', own: '--public-url --base-url' },
  { foreign: 'port p address addr bind bind-address host ip', own: '--listen' },
  { foreign: 'cert tls-cert-file certificate server-cert', own: '--tls-cert' },
  { foreign: 'key tls-key-file private-key server-key', own: '--tls-key' },
  { foreign: 'callback-url inspector-callback-url inspection-url', own: '--inspection-callback-url' },
  { foreign: 'cacert ca ca-cert ca-bundle cafile os-cacert', own: '--ca-file --client-ca' },
  { foreign: 'insecure-skip-tls-verify skip-tls-verify no-check-certificate', own: '--insecure' },
  { foreign: 'image ipa-image container-image', own: '--agent-image --iso' },
  { foreign: 'authfile auth-file pull-secret-file', own: '--pull-secret' },
  { foreign: 'sshkey ssh-keys ssh-public-key ssh-authorized-key', own: '--ssh-key' },
  { foreign: 'hosts nodes inventory inventory-file i settings', own: '--inventory --settings' },
  {
    foreign: 'config c ign ignition ignition-config ignition-file live-ignition',
    own: '--ignition-file --ignition --live-ignition --settings --inventory',
  },
  { foreign: 'user-data userdata', own: '--ignition' },
  { foreign: 'nmstate network-nmstate network-config', own: '--nmstate --network-nmstate' },
  { foreign: 'keyfile network-keyfile', own: '--keyfile --network-keyfile' },
  { foreign: 'out outfile output-file dest destination output o', own: '--output --directory --output-dir' },
  { foreign: 'output-dir out-dir directory dir C', own: '--directory --output-dir --output' },
  {
    foreign: 'kargs karg kernel-args kernel-arguments append append-karg kernel-append-params',
    own: '--append --append-karg --live-karg-append --karg --kernel-append-params',
  },
  { foreign: 'force clobber replace', own: '--overwrite' },
  { foreign: 'mac mac-address boot-mac', own: '--boot-mac --mac' },
  { foreign: 'arch a', own: '--architecture --arch' },
  { foreign: 'initrd ramdisk initramfs', own: '--initramfs --initrd --deploy-ramdisk' },
  { foreign: 'json yaml output-format', own: '--format' },
  { foreign: 'v', own: '--verbose' },
  { foreign: 'q silent', own: '--quiet' },
];
