/** The options that `iso customize` and `pxe customize` share, under the names that they have on the command line. */

import { UsageError, FormatError } from '../core/errors.ts';
import { parseConsole } from '../image/customize/installerConfig.ts';
import type { OptionFiles } from '../hosts/input/swappedInputs.ts';
import type { Needs } from '../image/customize/customization.ts';

/** Lists of paths and arguments, in the order in which they were given. */
export interface CustomizeOptions {
  readonly destIgnition?: readonly string[];
  readonly destDevice?: string;
  readonly destConsole?: readonly string[];
  readonly destKargAppend?: readonly string[];
  readonly destKargDelete?: readonly string[];
  readonly networkKeyfile?: readonly string[];
  readonly networkNmstate?: readonly string[];
  readonly ignitionCa?: readonly string[];
  readonly preInstall?: readonly string[];
  readonly postInstall?: readonly string[];
  readonly installerConfig?: readonly string[];
  readonly liveIgnition?: readonly string[];
  /** False takes Ignition configs that Ignition would refuse on boot. */
  readonly validate?: boolean;
}

/** The files of the options, none of which is an image. */
export function inputsOf(options: CustomizeOptions): readonly OptionFiles[] {
  const config = 'an Ignition config';
  return [
    { flag: '--live-ignition', what: config, paths: options.liveIgnition },
    { flag: '--dest-ignition', what: config, paths: options.destIgnition },
    { flag: '--network-keyfile', what: 'a NetworkManager keyfile', paths: options.networkKeyfile },
    { flag: '--network-nmstate', what: 'an nmstate description', paths: options.networkNmstate },
    { flag: '--ignition-ca', what: 'a PEM certificate', paths: options.ignitionCa },
    { flag: '--installer-config', what: 'a config of the installer', paths: options.installerConfig },
    { flag: '--pre-install', what: 'a script', paths: options.preInstall },
    { flag: '--post-install', what: 'a script', paths: options.postInstall },
  ];
}

/** @throws UsageError for a console that the installer does not know */
export function parseConsoles({ destConsole = [] }: CustomizeOptions): readonly string[] {
  return destConsole.map((spec) => {
    try {
      return parseConsole(spec);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const message = `invalid value '${spec}' for '--dest-console <spec>': ${error.message}`;
      throw new UsageError(message, error.hint === undefined ? {} : { hint: error.hint });
    }
  });
}

/** What the image has to support, so that this is known before any file is read. */
export function needsOf(options: CustomizeOptions): Needs {
  const { destConsole, destDevice, destIgnition, destKargAppend, destKargDelete } = options;
  const { installerConfig, networkKeyfile, networkNmstate } = options;
  return {
    console: isGiven(destConsole),
    network: isGiven(networkKeyfile, networkNmstate),
    installerConfig:
      destDevice !== undefined ||
      isGiven(destConsole, destIgnition, destKargAppend, destKargDelete, installerConfig),
  };
}

function isGiven(...lists: readonly (readonly string[] | undefined)[]): boolean {
  return lists.some((list = []) => list.length > 0);
}
