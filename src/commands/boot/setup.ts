/** The options of `boot`, checked before anything is read from a BMC. */

import { UsageError } from '../../core/errors.ts';
import { parseUrl } from '../../formats/url.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { parseChoice, parseFormat } from '../../io/report/choices.ts';
import { parseDuration, parseWholeNumber } from '../serve/setup.ts';
import { readTrialSetup, type TrialOptions, type TrialSetup } from '../try/setup.ts';
import type { BootMethod, TargetOptions } from './targets.ts';

export interface BootOptions extends TrialOptions, TargetOptions {
  readonly method?: string;
  readonly check?: boolean;
  readonly yes?: boolean;
  readonly leave?: boolean;
  readonly parallel?: string;
  readonly shutdownTimeout?: string;
}

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

const MAX_PARALLEL = 1000;

/** @throws UsageError */
export function readBootSetup(options: BootOptions): BootSetup {
  const { bmc, check, inventory, iso = [], leave, parallel = '10', shutdownTimeout = '5m', yes } = options;
  const method = parseChoice('--method', options.method, ['virtual-media', 'uefi-http']);
  if (check === true) parseFormat(options.format, ['text', 'json']);
  return {
    method,
    trial: readTrial(options),
    iso: inventory === undefined && bmc !== undefined ? readIso(iso, check === true) : undefined,
    isCheck: check === true,
    isConfirmed: yes === true,
    isLeft: leave === true,
    parallel: parseWholeNumber(parallel, '--parallel', 1, MAX_PARALLEL),
    shutdownTimeout: parseDuration(shutdownTimeout, '--shutdown-timeout'),
  };
}

/** The options of `try` require an inventory for images, but `boot` serves an ISO without one. In `try`, `mac` is another option. */
function readTrial({ mac: _mac, ...options }: BootOptions): TrialSetup {
  const { iso: _iso, publicUrl: _url, serveListen: _listen, ...others } = options;
  return readTrialSetup(options.inventory === undefined ? others : options);
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

/** The URL of an ISO on another server. */
export function remoteIso(iso: string | undefined): URL | undefined {
  return iso !== undefined && isRemote(iso) ? parseUrl(iso) : undefined;
}
