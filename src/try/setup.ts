/** What the command line of `try` says, read and checked before anything listens. */

import { checkApiUrls, defaultIronicPort } from '../agent/ironicUrl.ts';
import { UsageError } from '../core/errors.ts';
import { type ListenAddress, parseListenAddress } from '../serve/http/listenAddress.ts';
import { guestNetwork } from './timeline/guestNetwork.ts';
import type { HomeStage } from './timeline/verdict.ts';
import { parseDuration } from '../serve/numbers.ts';
import type { IronicApiOptions } from './api/ironicApi.ts';
import type { TryOptions } from './options.ts';
import { parseChoice, parseFormat } from '../io/report/nearestNames.ts';

export interface TrialSetup {
  readonly listen: ListenAddress;
  readonly scheme: 'http' | 'https';
  readonly askBack: IronicApiOptions['askBack'];
  readonly home: HomeStage;
  /** Milliseconds. */
  readonly timeout: number;
  readonly format: 'json' | 'ndjson' | 'text';
  /** What configs are to name as Ironic in place of what the inventory does. */
  readonly ironicUrl: string | undefined;
  readonly machine: MachineChoices;
}

/** Of the emulated machine, as far as they were made. */
export interface MachineChoices {
  readonly boot: 'cd' | 'network' | undefined;
  readonly firmware: 'bios' | 'uefi' | undefined;
  readonly accel: 'kvm' | 'tcg' | undefined;
}

/** Where Ironic's API listens, but for this machine alone. */
const DEFAULT_LISTEN = '127.0.0.1:6385';
/** A live image of a gigabyte over a slow line, and a container image after it. */
const DEFAULT_TIMEOUT = '30m';

/** @throws UsageError */
export function readTrialSetup(options: TryOptions): TrialSetup {
  const { accel, boot, firmware } = options;
  const machine: MachineChoices = {
    boot: parseChoice('--boot', boot, ['network', 'cd']),
    firmware: parseChoice('--firmware', firmware, ['bios', 'uefi']),
    accel: parseChoice('--accel', accel, ['kvm', 'tcg']),
  };
  refuseUnused(options);
  if (options.guestHost !== undefined) guestNetwork(options.guestHost, '--guest-host');
  const isEmulated = options.qemu !== undefined;
  const home = parseChoice('--until', options.until, ['heartbeat', 'callback']) ?? 'heartbeat';
  const askBack = parseChoice('--ask-back', options.askBack, ['own', 'anywhere', 'never']);
  if (home === 'callback' && (askBack ?? (isEmulated ? 'never' : 'own')) === 'never') {
    throw new UsageError('--until callback waits for answers of agents that nobody asks', {
      hint: isEmulated ? 'an emulated machine cannot be reached from here' : 'leave --ask-back never out',
    });
  }
  return {
    listen: parseListenAddress(options.listen ?? DEFAULT_LISTEN),
    scheme: options.tls === true ? 'https' : 'http',
    // The network of an emulated machine lets nobody in.
    askBack:
      askBack === 'own' || (askBack === undefined && !isEmulated) ? 'own address' : (askBack ?? 'never'),
    home,
    timeout: readTimeout(options.timeout ?? DEFAULT_TIMEOUT),
    ironicUrl: options.ironicUrl === undefined ? undefined : readIronicUrl(options.ironicUrl),
    format: parseFormat(options.format, ['text', 'json', 'ndjson']),
    machine,
  };
}

/** To some programs 0 is no limit, but a trial without an end never says what is wrong. */
function readTimeout(text: string): number {
  const timeout = parseDuration(text, '--timeout');
  if (timeout > 0) return timeout;
  throw new UsageError('--timeout 0 leaves nobody any time', { hint: 'to wait for long: --timeout 7d' });
}

/** As it is in configs: with its port. */
function readIronicUrl(text: string): string {
  const [url = '', ...others] = checkApiUrls(text, { flag: '--ironic-url', defaultPort: defaultIronicPort });
  if (others.length === 0 && URL.canParse(url)) return url;
  throw new UsageError('--ironic-url takes the one URL at which machines reach this Ironic', {
    hint: 'give one URL such as http://192.0.2.1:6385',
  });
}

/** What means nothing without another option is a mistake. */
function refuseUnused(options: TryOptions): void {
  for (const [needed, flag, unused] of dependents) {
    if (options[needed] !== undefined) continue;
    const [key, name] = unused.find(([it]) => options[it] !== undefined) ?? [];
    if (key === undefined) continue;
    throw new UsageError(`${name} means nothing without ${flag}`, {
      hint: `give ${flag}, or leave ${name} out`,
    });
  }
}

type Named = readonly [key: keyof TryOptions, name: string];

const dependents: readonly (readonly [needed: keyof TryOptions, flag: string, unused: readonly Named[]])[] = [
  [
    'inventory',
    '--inventory',
    [
      ['iso', '--iso'],
      ['kernel', '--kernel'],
      ['initramfs', '--initramfs'],
      ['rootfs', '--rootfs'],
      ['images', '--images'],
      ['agentArchive', '--agent-archive'],
      ['profile', '--profile'],
      ['artifacts', '--artifacts'],
      ['discovery', '--discovery'],
      ['grow', '--grow'],
      ['serveListen', '--serve-listen'],
      ['publicUrl', '--public-url'],
      ['keyFile', '--key-file'],
      ['open', '--open'],
      ['ironicUrl', '--ironic-url'],
    ],
  ],
  [
    'qemu',
    '--qemu',
    [
      ['boot', '--boot'],
      ['firmware', '--firmware'],
      ['memory', '--memory'],
      ['mac', '--mac'],
      ['guestHost', '--guest-host'],
      ['accel', '--accel'],
      ['console', '--console'],
    ],
  ],
  [
    'tls',
    '--tls',
    [
      ['tlsName', '--tls-name'],
      ['caOut', '--ca-out'],
    ],
  ],
];
