/** The options that say where the ramdisk comes from, which several `deploy` commands share. */

import type { Ramdisk } from './documents/node.ts';
import { UsageError } from '../core/errors.ts';

/** Under the names that they have on the command line. */
export interface RamdiskOptions {
  readonly deployIso?: string;
  readonly deployKernel?: string;
  readonly deployRamdisk?: string;
  readonly kernelAppendParams?: string;
}

/**
 * The ramdisk, without kernel arguments; undefined where none is given.
 * @throws UsageError where the options contradict each other or are not complete
 */
export function ramdiskOf({
  deployIso: iso,
  deployKernel,
  deployRamdisk,
}: RamdiskOptions): Ramdisk | undefined {
  const isPair = deployKernel !== undefined || deployRamdisk !== undefined;
  if (iso !== undefined && isPair) {
    throw new UsageError('--deploy-iso cannot be combined with --deploy-kernel and --deploy-ramdisk', {
      hint: 'Ironic boots either the ISO or the kernel with its ramdisk: give one of the two',
    });
  }
  if (iso !== undefined) return { kind: 'iso', iso };
  if (!isPair) return undefined;
  if (deployKernel === undefined || deployRamdisk === undefined) {
    throw new UsageError('--deploy-kernel and --deploy-ramdisk belong together', { hint: 'give both' });
  }
  return { kind: 'pair', kernel: deployKernel, ramdisk: deployRamdisk };
}
