/** The options that commands for network settings share, for live ISOs and for network boot. */

import type { Command } from 'commander';
import { choice, repeated } from '../io/commandLine.ts';

/** As commander gives them. */
export interface NetworkFileOptions {
  readonly keyfile?: readonly string[];
  readonly nmstate?: readonly string[];
}

/** As commander gives them. */
export interface NetworkOutputOptions {
  readonly directory?: string;
  readonly format?: string;
}

/** Adds the options that say which settings to take. */
export function declareNetworkFiles(command: Command): Command {
  return command
    .addOption(repeated('-k, --keyfile <path>', 'keyfile of NetworkManager; repeatable'))
    .addOption(repeated('--nmstate <path>', 'nmstate description to convert to keyfiles; repeatable'));
}

/** Adds the options that say what becomes of settings that were found. */
export function declareNetworkOutput(command: Command): Command {
  return command
    .option('-C, --directory <path>', 'write the files to a folder instead of printing them')
    .addOption(choice('--format <form>', 'text (default) or json', ['text', 'json']));
}
