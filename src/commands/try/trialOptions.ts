/** Declares the options that `try` and `boot` share: the end of the trial, its report, and the mock Ironic. */

import type { Command } from 'commander';
import { choice, repeated } from '../../io/commandLine.ts';

export function declareTrialOptions(command: Command): Command {
  return command
    .addOption(
      choice(
        '--until <stage>',
        'condition for success: heartbeat, or callback: the agent also answers at its callback URL (default: heartbeat)',
        ['heartbeat', 'callback'],
      ),
    )
    .addOption(
      repeated(
        '--require-step <name>',
        'step that each agent must have, for example install_coreos; repeatable',
      ),
    )
    .option('--timeout <time>', 'time limit for all hosts to call home (default: 30m)')
    .option('--save <folder>', 'folder for the hardware inventories that agents send, one file per host')
    .addOption(
      repeated(
        '--console-log <file>',
        'FILE or HOST=FILE: log of the serial console of a host, written by another program; repeatable',
      ),
    )
    .addOption(
      choice(
        '--format <form>',
        'report format: text, full: text with all events and facts, json, or ndjson: events, then the report (default: text)',
        ['text', 'full', 'json', 'ndjson'],
      ),
    );
}

/** The options of the mock Ironic after `--listen`, of which the default differs. */
export function declareIronicOptions(command: Command): Command {
  return command
    .option('--tls', 'serve the mock Ironic over HTTPS, with a certificate that is created at startup')
    .addOption(repeated('--tls-name <name>', 'additional name or address in the certificate; repeatable'))
    .option('--ca-out <file>', 'file to write the CA certificate to (default: print it)')
    .addOption(
      choice(
        '--ask-back <mode>',
        'callback URLs to contact: own (those with the address of the client), anywhere (all) or never (default: own)',
        ['own', 'anywhere', 'never'],
      ),
    );
}

export function declareUrlSigning(command: Command): Command {
  return command
    .option('--key-file <file>', 'key that signs URLs; created if it does not exist')
    .option('--open', 'serve all files without authentication');
}
