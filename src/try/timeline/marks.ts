/** By what an event tells whose it is: names and numbers that no two machines share. */

import { parseMacAddress } from '../../core/macAddress.ts';
import { unknownMachines } from '../../serve/answer/access.ts';
import type { TrialEvent } from './events.ts';

export interface Marks {
  readonly name: string | undefined;
  readonly macs: readonly string[];
  readonly node: string | undefined;
  /** Whether the UUID comes from Ironic, and not from somebody who may have made it up. */
  readonly isNodeSure: boolean;
}

export function marksOf(event: TrialEvent): Marks {
  const none: Marks = { name: undefined, macs: [], node: undefined, isNodeSure: false };
  switch (event.kind) {
    case 'fetch':
      return { ...none, name: event.host === unknownMachines ? undefined : event.host };
    case 'lookup':
    case 'inspection':
      return {
        ...none,
        macs: event.macs.filter(isMac),
        node: event.node,
        isNodeSure: event.node !== undefined,
      };
    case 'heartbeat':
      return { ...none, node: event.node, isNodeSure: event.problem === undefined };
    case 'callback':
      return { ...none, node: event.node, isNodeSure: true };
    case 'machine':
    case 'preflight':
      return { ...none, macs: [event.mac].filter(isMac) };
    case 'api':
    case 'refusal':
    default:
      return none;
  }
}

/** Whatever else stands there is what several machines may send. */
function isMac(text: string): boolean {
  const address = parseMacAddress(text);
  return 'mac' in address && address.mac === text;
}
