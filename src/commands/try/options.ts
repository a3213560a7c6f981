/** What `try` takes, and what `boot` has in common with it. */

import { imageOptions } from '../../hosts/plan/imageOptions.ts';
import { hostOption } from '../../hosts/settings/options.ts';
import {
  choice,
  common,
  duration,
  file,
  toggle,
  folder,
  INVENTORY,
  repeatable,
  type OptionsOf,
  freeText,
  parsed,
  under,
  wholeNumber,
  withCommon,
  withDefault,
} from '../../io/commandLine.ts';
import { parseMac } from '../../io/optionValues.ts';
import { catalogOptions } from '../serve/options.ts';

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
    withDefault(
      'text',
      choice(
        ['text', 'full', 'json', 'ndjson'],
        'report format: text, full: text with all events and facts, json, or ndjson: events, then the report',
      ),
    ),
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

export const tryOptions = {
  '--expect <hosts>': common(
    freeText(
      'hosts to wait for: a number, or comma-separated names or MAC addresses (default: all hosts of the inventory, or 1)',
    ),
  ),
  ...withCommon(reportOptions, '--until <stage>', '--require-step <name>', '--save <folder>'),
  ...under('Mock Ironic:', {
    '--listen <address>': common(
      freeText('address and port, or :PORT for all addresses (default: 127.0.0.1:6385)'),
    ),
    ...withCommon(ironicOptions, '--tls', '--ca-out <file>'),
  }),
  ...under('Serving images:', {
    '--inventory <file>': common(file(INVENTORY)),
    ...hostOption,
    '--ironic-url <url>': common(freeText('replace the Ironic URL of the inventory in the configs')),
    '--serve-listen <address>': common(freeText('address and port for images (default: 127.0.0.1:8084)')),
    '--public-url <url>': common(freeText('base URL at which machines reach the images')),
    ...catalogOptions,
    ...urlSigningOptions,
  }),
  ...imageOptions,
  ...under('Emulated machine:', {
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
  }),
};

export type TryOptions = OptionsOf<typeof tryOptions>;
