/** The options that services share: what they make images from, how they listen, and whom they let in. */

import { type Command, Option } from 'commander';
import { choice, repeated } from '../io/commandLine.ts';

export function declareImageOptions(command: Command): Command {
  return command
    .optionsGroup('Images (FILE, or ARCHITECTURE=FILE):')
    .addOption(repeated('--iso <file>', 'live ISO; kernel, initramfs and root filesystem are taken from it'))
    .addOption(repeated('--kernel <file>', 'kernel; those of aarch64 are unpacked'))
    .addOption(repeated('--initramfs <file>', 'initramfs'))
    .addOption(repeated('--rootfs <file>', 'root filesystem'))
    .addOption(
      repeated('--agent-archive <file>', "the agent's container image, for hosts without a registry"),
    )
    .option('--images <folder>', 'a folder of downloads, by the names of their releases');
}

export function declareListenOptions(command: Command): Command {
  return command
    .optionsGroup('Service:')
    .option('--listen <address>', 'ADDRESS:PORT, :PORT for all (default: 127.0.0.1:8084)')
    .option('--public-url <url>', 'where others reach this server')
    .option('--tls-cert <file>', 'certificate, in PEM; read anew when it changes')
    .option('--tls-key <file>', 'its key')
    .option('--max-connections <number>', 'connections at a time (default: 4096)')
    .option('--idle-timeout <time>', 'cut off who takes nothing for so long (default: 120s)')
    .option('--grace <time>', 'for running downloads at the end (default: 30s)')
    .option('--cache <mebibytes>', 'memory for images (default: 32)')
    .addOption(choice('--log <form>', 'text or json', ['text', 'json']));
}

export function declareAccessOptions(command: Command): Command {
  return command
    .optionsGroup('Access:')
    .option('--key-file <file>', 'key that signs URLs; made where it is missing')
    .option('--token-file <file>', "operators' tokens, one a line")
    .option('--client-ca <file>', 'authorities whose client certificates open everything');
}

/** The flags of the image-customization-controller, and those that are taken without any effect. */
export function declareIccFlags(command: Command, ...ignored: readonly string[]): void {
  const aliases = { '--images-bind-addr': '--listen', '--images-publish-addr': '--public-url' };
  for (const [flag, option] of Object.entries(aliases)) {
    command.addOption(new Option(`${flag} <value>`).hideHelp());
    command.on(
      `option:${flag.slice(2)}`,
      (value: string) => void command.parseOptions([`${option}=${value}`]),
    );
  }
  for (const flags of ignored) command.addOption(new Option(flags).hideHelp());
}
