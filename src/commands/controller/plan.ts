/** The setup of the controller from command line and environment. It is checked before the first connection. */

import { quoteText } from '../../core/foreignText.ts';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { UsageError } from '../../core/errors.ts';
import { namespaceProblem, objectNameProblem } from '../../core/objectName.ts';
import type { Io } from '../../io/io.ts';
import { type ClusterConfig, findClusterConfig } from '../../kube/clusterConfig.ts';
import type { ObjectKey } from '../../kube/objects.ts';
import { readSetup } from '../../service/setup.ts';
import type { ControllerOptions } from './options.ts';

export type ControllerPlan = Awaited<ReturnType<typeof readPlan>>;

const DEFAULT_LEASE = 'ironic-coreos-controller';

export async function readPlan(options: ControllerOptions, io: Io) {
  const setup = await readSetup(options, io);
  const cluster = await findClusterConfig(options.kubeconfig, io);
  const namespace = parseNamespace(options, io);
  return {
    setup,
    cluster,
    /** The namespace to watch; undefined for all. */
    namespace,
    lease: options.leaderElection === false ? undefined : parseLease(options.lease, cluster),
    identity: `${hostname()}_${randomBytes(4).toString('hex')}`,
  };
}

function parseNamespace({ namespace }: ControllerOptions, { env }: Io): string | undefined {
  const text = namespace ?? env['WATCH_NAMESPACE'] ?? '';
  if (text === '') return undefined;
  const problem = namespaceProblem(text);
  if (problem === undefined) return text;
  const name = namespace === undefined ? 'WATCH_NAMESPACE' : '--namespace';
  throw new UsageError(`invalid value ${quoteText(text)} for ${name}: ${problem}`, {
    hint: 'use one namespace, or omit it to watch all namespaces',
  });
}

function parseLease(text: string | undefined, { namespace }: ClusterConfig): ObjectKey {
  if (text === undefined) return { namespace, name: DEFAULT_LEASE };
  const parts = text.split('/');
  const [first = '', second] = parts;
  if (parts.length <= 2 && parts.every((part) => objectNameProblem(part) === undefined)) {
    return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
  }
  throw new UsageError(`invalid value ${quoteText(text)} for --lease`, {
    hint: 'use NAME or NAMESPACE/NAME, such as --lease metal3/ironic-coreos-controller',
  });
}
