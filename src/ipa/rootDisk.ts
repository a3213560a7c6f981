/**
 * The disk that the agent writes to, which is chosen as ironic-python-agent chooses it: `find_devices_by_hints` of `device_hints.py`,
 * and without hints `guess_root_disk` of `utils.py`. Not known here: disks that `skip_block_devices` of the node leaves out, volumes
 * of a RAID configuration, and second serial numbers and WWNs, which udev has and an inventory has not.
 */

import { quotePythonUrl } from '../formats/pythonText.ts';
import type { MachineDisk } from './machineHardware.ts';
import { type HintName, isHintName, parseHintExpression, type RootDevice } from './rootDeviceHints.ts';

/** The disks that all hints select, in the order of the inventory: the agent takes the first. The hints are valid. */
export function matchDisks(hints: RootDevice, disks: readonly MachineDisk[]): readonly MachineDisk[] {
  return disks.filter((disk) =>
    Object.entries(hints).every(([name, hint]) => isHintName(name) && matchesHint(disk[name], name, hint)),
  );
}

/** The disk without hints: the smallest one of at least 4 GiB. */
export function defaultDisk(disks: readonly MachineDisk[]): MachineDisk | undefined {
  const [first] = disks
    .filter(({ size }) => size >= 4 * GIB)
    .toSorted((one, other) => one.size - other.size || (one.name < other.name ? -1 : 1));
  return first;
}

const GIB = 1024 ** 3;

/** @param value undefined and null are the text `none`, as Python writes what a disk does not have */
function matchesHint(value: MachineDisk[HintName], name: string, hint: string | boolean): boolean {
  if (typeof hint === 'boolean') return value === hint;
  const parsed = parseHintExpression(hint);
  if ('problem' in parsed) return false;
  const { operator, values } = parsed;
  if (name === 'size') {
    const size = Number(value) / GIB;
    return values.every((each) => comparisons[operator || '==']?.(size - Number(each)) === true);
  }
  const own = encode(String(value ?? 'none').trim());
  const texts = values.map(encode);
  if (own === '') return false;
  if (operator === '<or>') return texts.includes(own);
  if (operator === '<in>') return texts.every((each) => own.includes(each));
  const compare = comparisons[(operator || 's==').slice(1)];
  return texts.every((each) => compare?.(own < each ? -1 : Number(own > each)) === true);
}

/** By the sign of the difference. `=` means at least (oslo.utils `specs_matcher.py`); operators of texts begin with `s`. */
const comparisons: Readonly<Record<string, (difference: number) => boolean>> = {
  '=': (difference) => difference >= 0,
  '==': (difference) => difference === 0,
  '!=': (difference) => difference !== 0,
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};

/** In lower case and percent-encoded, as the agent compares texts: also the order of texts and parts of them depend on it. */
function encode(text: string): string {
  return quotePythonUrl(text.toLowerCase());
}
