/** Starts the images of an inventory, with configs that lead the machines to the Ironic that is played, if they shall. */

import { CliError } from '../../core/errors.ts';
import { type ApiPlace, mayLeadHere } from '../timeline/ironicAddress.ts';
import { ironicChange, tellChange, tellElsewhere } from '../address/chosenIronic.ts';
import type { IronicUrls } from '../address/ironicUrls.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import type { GuestPlace } from '../emulation/guestPlace.ts';
import type { Expectation } from '../expectation.ts';
import { createQuietLog } from '../quietLog.ts';
import type { TrialPlan } from '../trialPlan.ts';
import { type ImageService, startImageService } from './imageService.ts';

export interface ImageSurroundings {
  readonly api: IronicApi;
  readonly guest: GuestPlace | undefined;
  /** Of the inventory. */
  readonly listed: IronicUrls;
  readonly place: ApiPlace;
}

/** Throws CliError where they cannot be served, or not those of a host that is awaited. */
export async function startImages(
  { ends, expectation, io, machine, options, setup, talk, trial }: TrialPlan,
  { api, guest, listed, place }: ImageSurroundings,
): Promise<ImageService> {
  const isOfHost = machine?.source.medium.kind === 'host';
  const url = setup.ironicUrl ?? (isOfHost ? otherUrl(guest, place) : undefined);
  const remarks = url === undefined ? [tellElsewhere(listed, place)] : tellChange(url, place);
  for (const remark of remarks) if (remark !== undefined) talk.remark(remark);
  const images = await startImageService({
    options,
    io,
    log: createQuietLog(io),
    observe: (event) => trial.observe(event),
    guestHost: guest?.host,
    changeSource: await ironicChange({ url, ca: api.ca }, ends),
  });
  ends.add(() => images.stop());
  refuseUnserved(images, expectation);
  await images.tell();
  return images;
}

/** That a message lists. */
const MOST_NAMES = 10;

/** Whoever is awaited and cannot be served would only be missing at the end of the time. */
function refuseUnserved({ wrong }: ImageService, { awaited }: Expectation): void {
  const names = awaited.kind === 'hosts' ? wrong.filter((name) => awaited.names.includes(name)) : [];
  if (names.length === 0) return;
  const more = names.length > MOST_NAMES ? ', …' : '';
  throw new CliError(`awaited, and cannot be served: ${names.slice(0, MOST_NAMES).join(', ')}${more}`, {
    hint: 'mend what is reported above, or wait for others with --expect',
  });
}

/** Where a machine finds the API whose config leads elsewhere: whoever emulates a machine wants it to call here. */
function otherUrl(guest: GuestPlace | undefined, place: ApiPlace): string | undefined {
  if (guest === undefined || mayLeadHere(guest.ironicUrls, place)) return undefined;
  return `${place.scheme}://${guest.host}:${place.port}`;
}
