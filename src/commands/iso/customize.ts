/** `iso customize`: adds an automatic installation, network settings, configs and kernel arguments to a live ISO. */

import { renderCustomization, checkPristine, customizeIso } from '../../image/customize/customization.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { type Edit, editLiveIso } from '../../hosts/input/imageContents.ts';
import { report } from '../../io/report/report.ts';
import {
  readCustomization,
  refuseInstalledConfigs,
  refuseUnsupported,
  reportInstallation,
} from '../customize/customization.ts';
import type { IsoCustomizeOptions } from './options.ts';

export async function customizeLiveIso(options: IsoCustomizeOptions, io: Io): Promise<ExitCode> {
  const edit = async (iso: LiveIso): Promise<Edit> => {
    await checkPristine(iso, options.force === true ? 'replace' : 'refuse');
    refuseUnsupported(options, await iso.features());
    const customization = await readCustomization(options, io);
    const files = renderCustomization(customization);
    const { liveKargAppend: append = [], liveKargDelete, liveKargReplace } = options;
    const edits = { append, delete: liveKargDelete, replace: liveKargReplace };
    const { change: result, remarks } = await customizeIso(iso, files, edits);
    report(io, remarks);
    reportInstallation(customization, append, io);
    const kargs = result.kargs ?? (await iso.kargsAreas())?.current;
    refuseInstalledConfigs(customization, { kargs, build: iso.label }, { io, options });
    return { ...result, keyfiles: customization.keyfiles };
  };
  return editLiveIso(options, edit, io);
}
