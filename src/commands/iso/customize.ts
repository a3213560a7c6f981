/** `iso customize`: adds an automatic installation, network settings, configs and kernel arguments to a live ISO. */

import { parseArguments } from '../../kargs/argument.ts';
import { refuseArguments } from '../../hosts/input/imageRequirements.ts';
import { renderCustomization, checkPristine, customizeIso } from '../../image/customize/customization.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type Rewrite, rewriteLiveIso } from '../../imagefile/rewriteImage.ts';
import { report } from '../../io/report/report.ts';
import {
  type CustomizeOptions,
  parseConsoles,
  readCustomization,
  refuseConfigs,
  refuseUnsupported,
  reportInstallation,
} from '../customize/customization.ts';
import { reportImageNetwork } from '../../hosts/input/imageNetwork.ts';

export interface IsoCustomizeOptions extends CustomizeOptions, Rewrite {
  readonly liveKargAppend?: readonly string[];
  readonly liveKargDelete?: readonly string[];
  /** `KEY=OLD=NEW` each. */
  readonly liveKargReplace?: readonly string[];
  /** Replaces all embedded files. */
  readonly force?: boolean;
}

/** @throws CliError for the user; nothing is written then */
export async function customizeLiveIso(options: IsoCustomizeOptions, io: Io): Promise<ExitCode> {
  parseConsoles(options); // a usage error is reported before a file is opened
  return rewriteLiveIso(options, (iso) => change(iso, options, io), io);
}

async function change(iso: LiveIso, options: IsoCustomizeOptions, io: Io): Promise<ImageChange> {
  await checkPristine(iso, options.force === true ? 'replace' : 'refuse');
  refuseUnsupported(options, await iso.features());
  const customization = await readCustomization(options, io);
  const files = renderCustomization(customization);
  const { liveKargAppend: append = [], liveKargDelete, liveKargReplace } = options;
  const edits = { append, delete: liveKargDelete, replace: liveKargReplace };
  const { change: result, kargs, remarks } = await customizeIso(iso, files, edits);
  refuseArguments({ ...kargs, files }, options, io);
  report(io, remarks);
  reportInstallation(customization, append, io);
  refuseConfigs(
    customization,
    files,
    { kargs: parseArguments(kargs.after), build: iso.label },
    { io, options },
  );
  await reportImageNetwork(kargs.after, files, { io, options, keyfiles: customization.keyfiles });
  return result;
}
