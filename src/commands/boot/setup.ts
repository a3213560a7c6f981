/** The options of `boot`, checked before anything is read from a BMC. */

import { UsageError } from '../../core/errors.ts';
import { parseChoice } from '../../io/report/choices.ts';
import type { BootSetup } from '../../trial/bmc/bootRun.ts';
import { readTrialSetup } from '../../trial/setup.ts';
import type { BootOptions } from './options.ts';

/** @throws UsageError */
export function readBootSetup(options: BootOptions): BootSetup {
  const { bmc, check, inventory, iso = [], leave, method, parallel, shutdownTimeout, yes } = options;
  if (check === true) parseChoice('--format', options.format, ['text', 'json']);
  return {
    method,
    trial: readTrialSetup(options),
    iso: inventory === undefined && bmc !== undefined ? readIso(iso, check === true) : undefined,
    isCheck: check === true,
    isConfirmed: yes === true,
    isLeft: leave === true,
    parallel,
    shutdownTimeout,
  };
}

function readIso([iso, ...others]: readonly string[], isCheck: boolean): string | undefined {
  if (others.length > 0) {
    throw new UsageError('--bmc requires a single --iso', { hint: 'pass one ISO: --iso FILE or --iso URL' });
  }
  if (iso === undefined && !isCheck) {
    throw new UsageError('--bmc requires --iso', {
      hint: 'pass the ISO to boot: --iso FILE, or the URL of an ISO on another server',
    });
  }
  return iso;
}
