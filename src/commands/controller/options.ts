/** What `controller` takes. */

import {
  common,
  duration,
  file,
  hidden,
  negation,
  type OptionsOf,
  freeText,
  under,
  withDefault,
} from '../../io/commandLine.ts';
import { catalogOptions, serviceOptions } from '../../service/options.ts';

export const controllerOptions = {
  '--settings <file>': common(file('settings of all hosts: an inventory without hosts')),
  '--profile <name>': catalogOptions['--profile <name>'],
  '--grow': common(catalogOptions['--grow']),
  ...under('Cluster:', {
    '--kubeconfig <file>': common(file('cluster and credentials (default: KUBECONFIG, or the pod)')),
    '--namespace <name>': common(freeText('namespace to watch (default: WATCH_NAMESPACE, or all)')),
    '--lease <name>': freeText('name of the Lease for leader election (default: ironic-coreos-controller)'),
    '--no-leader-election': common(negation('disable leader election, for a single replica')),
    '--drain-time <time>': withDefault('5s', duration('wait before shutdown, for load balancers')),
  }),
  ...serviceOptions,
  '--metrics-addr <address>': hidden(freeText('accepted without any effect, as upstream')),
};

export type ControllerOptions = OptionsOf<typeof controllerOptions>;
