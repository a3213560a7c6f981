/** The options of services: of the hosts that they serve, of the server, and of the URLs that they print. */

import { dhcpRangeOption, growOption, imageOptions } from '../hosts/plan/imageOptions.ts';
import { hostOption, profileOption } from '../hosts/settings/options.ts';
import {
  choice,
  common,
  duration,
  file,
  toggle,
  folder,
  INVENTORY,
  type OptionsOf,
  freeText,
  under,
  wholeNumber,
  withCommon,
} from '../io/commandLine.ts';

const MOST_CONNECTIONS = 1_000_000;

/** What is served of an inventory: the configs and artifacts of its hosts, and of machines that it does not list. */
export const catalogOptions = {
  ...profileOption,
  '--artifacts <names>': freeText(
    'comma-separated list of artifacts, as for prepare (default: all that the images allow)',
  ),
  '--discovery': toggle('also serve images for machines that are not in the inventory'),
  ...growOption,
};

export const serviceOptions = {
  ...imageOptions,
  ...under('Service:', {
    '--listen <address>': common({
      ...freeText('address to listen on: ADDRESS:PORT, or :PORT for all addresses (default: 127.0.0.1:8084)'),
      alias: '--images-bind-addr <value>',
    }),
    '--public-url <url>': common({
      ...freeText('base URL under which other machines reach this server'),
      alias: '--images-publish-addr <value>',
    }),
    '--tls-cert <file>': common(file('TLS certificate, in PEM; reloaded when it changes')),
    '--tls-key <file>': common(file('private key of the TLS certificate, in PEM')),
    '--max-connections <number>': wholeNumber(
      'maximum number of concurrent connections (default: 4096)',
      1,
      MOST_CONNECTIONS,
    ),
    '--idle-timeout <time>': duration(
      'disconnect clients that read nothing for this long (default: 120s)',
      1,
    ),
    '--grace <time>': duration('time allowed for running downloads on shutdown (default: 30s)'),
    '--cache <mebibytes>': wholeNumber('memory for cached images (default: 32)', 1, 65_536),
    '--log <form>': choice(
      ['text', 'json'],
      'log format: text or json (default: text on a terminal, otherwise json)',
    ),
  }),
  ...under('Access:', {
    '--key-file <file>': common(file('key that signs URLs; created if it does not exist')),
    '--token-file <file>': common(file('operator tokens, one per line')),
    '--client-ca <file>': file('CA certificates; their client certificates give access to everything'),
  }),
};

/** The hosts of a service, and what it serves of them. */
export const siteOptions = {
  '--inventory <file>': common(file(INVENTORY)),
  ...hostOption,
  '--nmstate-dir <folder>': folder('folder with one nmstate file per host, named HOST.yaml'),
  ...withCommon(catalogOptions, '--discovery', '--grow'),
  ...dhcpRangeOption('public URL'),
  '--fail-fast': toggle('serve nothing if a host is invalid'),
  '--once <host>': common(freeText('serve only this host and exit after its image was fetched', 'host')),
};

export const urlOptions = under('Access:', {
  '--expires <time>': duration('lifetime of printed URLs, e.g. 12h (default: as long as the key)', 1),
  '--open': common(toggle('serve all files without authentication')),
  '--format <form>': common(choice(['text', 'json'], 'print the URLs as text or json')),
});

/** What a service takes, whichever command runs it. */
export type ServiceOptions = OptionsOf<typeof siteOptions & typeof serviceOptions & typeof urlOptions>;
