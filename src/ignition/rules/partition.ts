/** A single partition; `disk.ts` compares those of a disk. */

import type { Partition } from '../config.ts';
import { errorRules, found, issue } from '../../core/rule.ts';
import { type Check, isNonZero } from '../check.ts';

export const partitionRules = errorRules({
  'partition-absent-with-others': [
    'shouldExist specified false with other options also specified',
    'remove all fields except the number of the partition',
  ],
  'partition-number-or-label': [
    'a partition number >= 1 or a label must be specified',
    'set "number" to 1 or higher, or set "label"',
  ],
  'partition-label-too-long': [
    'partition labels may not exceed 36 characters',
    'shorten the label to 36 bytes of UTF-8',
  ],
  'partition-label-colon': [
    'partition label will be truncated to text before the colon',
    'remove the colon from the label',
  ],
  'partition-guid': [
    'doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"',
    'write a GUID as 8-4-4-4-12 hexadecimal digits without braces, or remove the field',
  ],
});

export const checkPartition: Check<Partition> = (partition) => {
  const { guid, label, number, shouldExist, sizeMiB, startMiB, typeGuid } = partition;
  const hasOthers = guid || typeGuid || [label, startMiB, sizeMiB].some((one) => one !== undefined);
  const isLong = Buffer.byteLength(label ?? '') > 36;
  return found(
    shouldExist === false && hasOthers && issue(partitionRules['partition-absent-with-others'], []),
    !isNonZero(number) && label === undefined && issue(partitionRules['partition-number-or-label'], []),
    isLong && issue(partitionRules['partition-label-too-long'], ['label']),
    !isLong && label?.includes(':') && issue(partitionRules['partition-label-colon'], ['label']),
    guid && !GUID_FORM.test(guid) && issue(partitionRules['partition-guid'], ['guid']),
    typeGuid && !GUID_FORM.test(typeGuid) && issue(partitionRules['partition-guid'], ['typeGuid']),
  );
};

const GUID_FORM = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;
