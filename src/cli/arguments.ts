/** Command lines that are written for other programs, and the hints that follow an error of the command line. */

import type { Command } from 'commander';

/**
 * The arguments as commander has to get them.
 * @param args without interpreter and script
 */
export function adaptArguments(args: readonly string[], program: Command): string[] {
  const adapted = withTwoDashes(withoutSigns(args), program);
  return namesUnknownCommand(adapted, program) ? adapted.filter((arg) => !isHelp(arg)) : [...adapted];
}

/** `-o=FILE` is `-oFILE`; commander would take the sign for a part of the value. */
function withoutSigns(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) =>
    (end < 0 || index < end) && /^-[a-zA-Z]=./.test(arg) ? arg.slice(0, 2) + arg.slice(3) : arg,
  );
}

/** `-listen` is `--listen` to those that are started in place of a program that takes its flags so. */
function withTwoDashes(args: readonly string[], program: Command): readonly string[] {
  const [name = ''] = args;
  const service = program.commands.find((command) => command.name() === name);
  if (service === undefined || !goPrograms.has(name)) return args;
  const flags = new Set(service.options.map(({ long }) => long));
  return args.map((arg) => (flags.has(`-${arg.replace(/=.*/s, '')}`) ? `-${arg}` : arg));
}

const goPrograms: ReadonlySet<string> = new Set(['serve', 'controller']);

/** With `--help` commander would show the help of the group, and call that a success. */
function namesUnknownCommand(args: readonly string[], program: Command): boolean {
  let command = program;
  for (const arg of args) {
    if (arg.startsWith('-') || command.commands.length === 0) return false;
    const next = command.commands.find((it) => it.name() === arg || it.aliases().includes(arg));
    if (next === undefined) return true;
    command = next;
  }
  return false;
}

function isHelp(arg: string): boolean {
  return arg === '-h' || arg === '--help';
}

/** The usage of a command, as its help begins, and where to read more; one line. */
export function usageLine(command: Command): string {
  return `usage: ${command.createHelp().commandUsage(command)} (see --help)\n`;
}

/** The command that the arguments name; where they name none, the group or program above it. */
export function namedCommand(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const arg of args) {
    const next = command.commands.find((it) => it.name() === arg);
    if (next === undefined) return command;
    command = next;
  }
  return command;
}

/** What commander says of an error, with a hint where the option is called otherwise here. */
export function explainUsageError(text: string, command: Command): string {
  const [, name = ''] = /^unknown option '--?([^'=]+)/.exec(text) ?? [];
  const hint = hintOption(name, command);
  // Commander's own guess goes by letters alone.
  return hint === undefined ? text : `${text.split('\n', 1)[0]}\n${hint}`;
}

function hintOption(name: string, { options }: Command): string | undefined {
  const likely = FOREIGN_NAMES.find(({ foreign }) => foreign.split(' ').includes(name))?.own.split(' ') ?? [];
  const [first, ...others] = options.filter(({ long, hidden }) => likely.includes(long ?? '') && !hidden);
  if (first === undefined) return undefined;
  if (others.length === 0) return `hint: use ${first.flags}: ${first.description}`;
  return `hint: use one of ${[first, ...others].map(({ flags }) => flags).join(', ')}`;
}

/** What other programs and commands call an option, and the names that it may have here. */
const FOREIGN_NAMES: readonly { readonly foreign: string; readonly own: string }[] = [
  {
    foreign:
      'url ironic ironic-url ironic-api ironic-api-url ironic-base-url ironic-endpoint ironic-host ironic-ip api ' +
      'api-url ipa-api-url endpoint os-endpoint base-url',
    own: '--api-url --ironic-url --base-url --public-url --image-url',
  },
  { foreign: 'public-url publish-url external-url', own: '--public-url --base-url' },
  { foreign: 'port p address addr bind bind-address host ip', own: '--listen' },
  { foreign: 'callback-url inspector-callback-url inspection-url', own: '--inspection-callback-url' },
  { foreign: 'cacert ca ca-cert ca-bundle cafile os-cacert', own: '--ca-file --client-ca' },
  { foreign: 'insecure-skip-tls-verify skip-tls-verify no-check-certificate', own: '--insecure' },
  { foreign: 'image ipa-image container-image', own: '--agent-image --iso' },
  { foreign: 'authfile auth-file pull-secret-file', own: '--pull-secret' },
  { foreign: 'sshkey ssh-keys ssh-public-key ssh-authorized-key', own: '--ssh-key' },
  { foreign: 'hosts nodes inventory-file', own: '--inventory' },
  {
    foreign: 'config c ign ignition ignition-config ignition-file live-ignition',
    own: '--ignition-file --ignition --live-ignition --settings --inventory',
  },
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
