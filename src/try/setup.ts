/** What the command line of `try` says, read and checked before anything listens. */

import { checkApiUrls, defaultIronicPort } from '../agent/ironicUrl.ts';
import { UsageError } from '../core/errors.ts';
import { type ListenAddress, parseListenAddress } from '../serve/http/listenAddress.ts';
import { guestNetwork } from './timeline/addresses.ts';
import type { SuccessStage } from './timeline/result.ts';
import type { ImageOptions } from '../hosts/plan/imageInputs.ts';
import { parseDuration } from '../serve/setup.ts';
import type { IronicApiOptions } from './api/ironicApi.ts';
import { parseChoice, parseFormat } from '../io/report/choices.ts';

export interface TrialSetup {
  readonly listen: ListenAddress;
  readonly scheme: 'http' | 'https';
  readonly askBack: IronicApiOptions['askBack'];
  readonly successStage: SuccessStage;
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
  const successStage = parseChoice('--until', options.until, ['heartbeat', 'callback']) ?? 'heartbeat';
  const askBack = parseChoice('--ask-back', options.askBack, ['own', 'anywhere', 'never']);
  if (successStage === 'callback' && (askBack ?? (isEmulated ? 'never' : 'own')) === 'never') {
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
    successStage,
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
  for (const [needed, dependent] of dependents) {
    if (options[needed] !== undefined) continue;
    const unused = dependent.find((key) => options[key] !== undefined);
    if (unused === undefined) continue;
    const [flag, name] = [flagOf(needed), flagOf(unused)];
    throw new UsageError(`${name} means nothing without ${flag}`, {
      hint: `give ${flag}, or leave ${name} out`,
    });
  }
}

function flagOf(key: keyof TryOptions): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const dependents: readonly (readonly [needed: keyof TryOptions, dependent: readonly (keyof TryOptions)[]])[] =
  [
    ['inventory', ['iso', 'kernel', 'initramfs', 'rootfs', 'images', 'agentArchive', 'profile']],
    [
      'inventory',
      ['artifacts', 'discovery', 'grow', 'serveListen', 'publicUrl', 'keyFile', 'open', 'ironicUrl'],
    ],
    ['qemu', ['boot', 'firmware', 'memory', 'mac', 'guestHost', 'accel', 'console']],
    ['tls', ['tlsName', 'caOut']],
  ];

export interface TryOptions extends ImageOptions, ApiOptions, TrialOptions, MachineOptions {
  readonly inventory?: string;
  readonly profile?: string;
  readonly artifacts?: string;
  /** Each `FILE` or `ARCHITECTURE=FILE`. */
  readonly agentArchive?: readonly string[];
  readonly discovery?: boolean;
  readonly grow?: boolean;
  /** Where images are served: `ADDRESS:PORT`. */
  readonly serveListen?: string;
  /** Under which machines reach the images. */
  readonly publicUrl?: string;
  readonly keyFile?: string;
  readonly open?: boolean;
  /** What configs are to name as Ironic in place of what the inventory does. */
  readonly ironicUrl?: string;
}

/** How Ironic's API is played. */
interface ApiOptions {
  /** `ADDRESS:PORT`. */
  readonly listen?: string;
  readonly tls?: boolean;
  readonly tlsName?: readonly string[];
  /** File that gets the authority of the certificate. */
  readonly caOut?: string;
  readonly askBack?: string;
}

/** What is waited for, and what is told. */
interface TrialOptions {
  readonly expect?: string;
  /** What counts as home. */
  readonly until?: string;
  readonly timeout?: string;
  /** Folder for inventories. */
  readonly save?: string;
  readonly format?: string;
}

/** The emulated machine. */
export interface MachineOptions {
  /** A live ISO, a prepared folder, or the name of a host of the inventory. */
  readonly qemu?: string;
  /** What a host of the inventory boots from. */
  readonly boot?: string;
  readonly firmware?: string;
  readonly memory?: string;
  readonly mac?: string;
  /** Address by which it reaches this machine. */
  readonly guestHost?: string;
  readonly accel?: string;
  /** File that gets what is on its console. */
  readonly console?: string;
}
