/** Starts the emulated machine, when all is there that it boots from, and says how it finds this one. */

import { resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { isRemote } from '../../io/http/httpUrl.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { guestNetwork } from '../timeline/guestNetwork.ts';
import type { ApiPlace } from '../timeline/ironicAddress.ts';
import type { Medium } from '../timeline/machineArguments.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import { createQuietLog } from '../quietLog.ts';
import type { ImageService } from '../serving/imageService.ts';
import { startFolderService } from '../serving/preparedFolderService.ts';
import type { PlannedMachine, TrialPlan } from '../trialPlan.ts';
import { openConsoleOutput } from './consoleOutput.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import { runTrialMachine, type TrialMachine } from './emulatedTrial.ts';
import type { GuestPlace } from './guestPlace.ts';

/** What it boots from; a folder is served from then on. Throws CliError where there is nothing. */
export async function findMedium(
  { ends, io, trial }: TrialPlan,
  { host, medium }: EmulatedSource,
  images: ImageService | undefined,
): Promise<Medium> {
  if (medium.kind === 'image') {
    const { source } = medium;
    return isRemote(source) ? { kind: 'cd-url', url: source } : { kind: 'cd', path: resolve(io.cwd, source) };
  }
  if (medium.kind === 'folder') {
    const log = createQuietLog(io);
    const { scriptUrl, stop } = await startFolderService(medium, {
      log,
      observe: (event) => trial.observe(event),
    });
    ends.add(stop);
    return { kind: 'network', scriptUrl };
  }
  if (images === undefined) throw new UsageError(`no images are served for ${host.name}`);
  return medium.way === 'cd'
    ? { kind: 'cd-url', url: images.isoUrl(medium.name) }
    : { kind: 'network', scriptUrl: images.scriptUrl() };
}

export interface GuestSurroundings {
  readonly api: IronicApi;
  readonly guest: GuestPlace;
  readonly medium: Medium;
  readonly place: ApiPlace;
}

/** Throws CliError where its console cannot be kept. */
export async function startEmulated(
  { ends, io, options, talk, trial }: TrialPlan,
  { setup, source }: PlannedMachine,
  { api, guest, medium, place }: GuestSurroundings,
): Promise<TrialMachine> {
  const network = guestNetwork(guest.host, '--guest-host');
  talk.remark({
    severity: 'info',
    message: `the emulated machine ${source.mac} reaches this one at ${guest.host}, and this Ironic at ${place.scheme}://${guest.host}:${place.port}`,
  });
  if (guest.config?.kind === 'unknown') talk.remark(notKnown(guest.config.reason));
  const console = await openConsoleOutput(options.console, talk.say, io);
  ends.add(() => console.close());
  const machine = runTrialMachine({
    setup,
    source,
    medium,
    network,
    console,
    observe: (event) => {
      if (event.state === 'started' || event.state === 'rebooted') api.bootedAnew(event.mac);
      trial.observe(event);
    },
    say: (message) => talk.remark({ severity: 'info', message }),
    env: io.env,
  });
  ends.add(() => machine.stop());
  return machine;
}

function notKnown(reason: string): Diagnostic {
  return {
    severity: 'warning',
    message: `${reason}: whether its agent calls here is not known`,
    hint: 'check with `ironic-coreos inspect` what the image starts and which Ironic it names',
  };
}
