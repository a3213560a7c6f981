/** The options that all services share: catalog, listen address and access. */

import { type Command, Option } from 'commander';
import { choice } from '../../io/commandLine.ts';

/** What is served of an inventory: the configs and artifacts of its hosts, and of machines that it does not list. */
export function declareCatalogOptions(command: Command): Command {
  return command
    .option(
      '--profile <name>',
      'profile of the configs: default, buildpy, icc, assisted or configure-coreos-ipa',
    )
    .option(
      '--artifacts <names>',
      'comma-separated list of artifacts, as for prepare (default: all that the images allow)',
    )
    .option('--discovery', 'also serve images for machines that are not in the inventory')
    .option('--grow', 'enlarge an ISO if the config does not fit into its reserved area');
}

export function declareListenOptions(command: Command): Command {
  return command
    .optionsGroup('Service:')
    .option(
      '--listen <address>',
      'address to listen on: ADDRESS:PORT, or :PORT for all addresses (default: 127.0.0.1:8084)',
    )
    .option('--public-url <url>', 'base URL under which other machines reach this server')
    .option('--tls-cert <file>', 'TLS certificate, in PEM; reloaded when it changes')
    .option('--tls-key <file>', 'private key of the TLS certificate, in PEM')
    .option('--max-connections <number>', 'maximum number of concurrent connections (default: 4096)')
    .option('--max-per-client <number>', 'maximum number of connections of one address (default: 512)')
    .option('--idle-timeout <time>', 'disconnect clients that read nothing for this long (default: 120s)')
    .option('--grace <time>', 'time allowed for running downloads on shutdown (default: 30s)')
    .option('--cache <mebibytes>', 'memory for cached images (default: 32)')
    .addOption(
      choice('--log <form>', 'log format: text or json (default: text on a terminal, otherwise json)', [
        'text',
        'json',
      ]),
    );
}

export function declareAccessOptions(command: Command): Command {
  return command
    .optionsGroup('Access:')
    .option('--key-file <file>', 'key that signs URLs; created if it does not exist')
    .option('--token-file <file>', 'operator tokens, one per line')
    .option('--client-ca <file>', 'CA certificates; their client certificates give access to everything');
}

/** The flags of image-customization-controller, and flags that are accepted without any effect. */
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
