/** The options of a trial, whichever command runs it. */

import type { imageOptions } from '../hosts/plan/imageOptions.ts';
import type { hostOption } from '../hosts/settings/options.ts';
import {
  choice,
  common,
  duration,
  file,
  toggle,
  folder,
  repeatable,
  type OptionsOf,
  freeText,
  parsed,
  under,
  wholeNumber,
  withDefault,
} from '../io/commandLine.ts';
import { parseMac } from '../io/optionValues.ts';
import type { catalogOptions } from '../service/options.ts';

/** The end of a trial, and its report. */
export const reportOptions = {
  '--until <stage>': withDefault(
    'heartbeat',
    choice(
      ['heartbeat', 'callback'],
      'condition for success: heartbeat, or callback: the agent also answers at its callback URL',
    ),
  ),
  '--require-step <name>': repeatable(freeText('step that each agent must have, for example install_coreos')),
  '--timeout <time>': common(
    // Enough for a live image of 1 GiB and a container image over a slow network. In some programs 0 means no limit, but a
    // trial without an end never prints its report.
    withDefault('30m', duration('time limit for all hosts to call home', 1)),
  ),
  '--save <folder>': folder('folder for the hardware inventories that agents send, one file per host'),
  '--console-log <file>': repeatable(
    file('FILE or HOST=FILE: log of the serial console of a host, written by another program'),
  ),
  '--format <form>': common(
    withDefault('text', choice(['text', 'json'], 'report format: text, or json with all events and facts')),
  ),
};

/** The mock Ironic, without its address, whose default differs. */
export const ironicOptions = {
  '--tls': toggle('serve the mock Ironic over HTTPS, with a certificate that is created at startup'),
  '--tls-name <name>': repeatable(freeText('additional name or address in the certificate')),
  '--ca-out <file>': file('file to write the CA certificate to (default: print it)'),
  '--ask-back <mode>': choice(
    ['own', 'anywhere', 'never'],
    'callback URLs to contact: own (those with the address of the client), anywhere (all) or never (default: own)',
  ),
};

export const urlSigningOptions = {
  '--key-file <file>': file('key that signs URLs; created if it does not exist'),
  '--open': toggle('serve all files without authentication'),
};

/** The machine that `try` boots in QEMU. */
export const emulationOptions = under('Emulated machine:', {
  '--qemu <image>': common(file('image to boot in QEMU: an ISO, a prepared folder, or a host')),
  '--boot <method>': choice(['network', 'cd'], 'boot method of a host: network or cd (default: network)'),
  '--firmware <kind>': choice(
    ['bios', 'uefi'],
    'firmware: bios or uefi (default: bios for x86_64, otherwise uefi)',
  ),
  '--memory <mebibytes>': wholeNumber('memory in MiB (default: 4096)', 64, 1_048_576),
  '--mac <address>': parsed(parseMac, 'address of the network card (default: MAC address of the host)'),
  '--guest-host <address>': freeText('address of this machine in the emulated network (IPv4)'),
  '--accel <kind>': choice(
    ['kvm', 'tcg'],
    'accelerator: kvm, or tcg for software emulation (default: the fastest available)',
  ),
  '--console <file>': common(file('file for the output of the serial console')),
});

/** What a trial takes of the options of its command, whose help says the defaults of the addresses. */
export type TrialOptions = OptionsOf<
  typeof reportOptions &
    typeof ironicOptions &
    typeof urlSigningOptions &
    typeof catalogOptions &
    typeof imageOptions &
    typeof hostOption
> & {
  readonly inventory?: string;
  /** The Ironic URL for the configs, in place of that of the inventory. */
  readonly ironicUrl?: string;
  readonly listen?: string;
  readonly serveListen?: string;
  readonly publicUrl?: string;
};

export type EmulationOptions = OptionsOf<typeof emulationOptions>;
