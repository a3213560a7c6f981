/** The options of `boot`, checked before anything is read from a BMC. */

import { UsageError } from '../../core/errors.ts';
import { parseChoice } from '../../io/report/choices.ts';
import { readTrialSetup, type TrialSetup } from '../../trial/setup.ts';
import type { BootOptions } from './options.ts';
import type { BootMethod } from '../../trial/bmc/targets.ts';

export interface BootSetup {
  readonly trial: TrialSetup;
  /** Undefined for that of the address of each BMC. */
  readonly method: BootMethod | undefined;
  /** Without an inventory: a path or a URL. */
  readonly iso: string | undefined;
  readonly isCheck: boolean;
  /** Whether no confirmation is required. */
  readonly isConfirmed: boolean;
  /** Whether the machines are not restored. */
  readonly isLeft: boolean;
  /** Number of BMCs that are used at the same time. */
  readonly parallel: number;
  /** Milliseconds. */
  readonly shutdownTimeout: number;
}

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
