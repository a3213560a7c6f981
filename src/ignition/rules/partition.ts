/** One partition by itself. */

import type { Partition } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { found, issue, refusal } from './declare.ts';
import { isNonZero } from './integers.ts';

export const partitionRules = {
  absentWithOthers: refusal(
    'partition-absent-with-others',
    'shouldExist specified false with other options also specified',
    'name a partition that shall go by its number alone',
  ),
  numberOrLabel: refusal(
    'partition-number-or-label',
    'a partition number >= 1 or a label must be specified',
    'give the partition a number from 1, or a label',
  ),
  labelTooLong: refusal(
    'partition-label-too-long',
    'partition labels may not exceed 36 characters',
    'shorten the label to 36 bytes of UTF-8',
  ),
  labelColon: refusal(
    'partition-label-colon',
    'partition label will be truncated to text before the colon',
    'use no colon in the label',
  ),
  guid: refusal(
    'partition-guid',
    'doesn\'t match the form "01234567-89AB-CDEF-EDCB-A98765432101"',
    'write a GUID of 8-4-4-4-12 hexadecimal digits without braces, or leave the field out',
  ),
};

export const checkPartition: Check<Partition> = (partition) =>
  found(
    absentIssue(partition),
    identityIssue(partition),
    labelIssue(partition),
    guidIssue('guid', partition.guid),
    guidIssue('typeGuid', partition.typeGuid),
  );

function absentIssue({
  guid,
  label,
  shouldExist,
  sizeMiB,
  startMiB,
  typeGuid,
}: Partition): Issue | undefined {
  const hasOthers = [label, typeGuid || undefined, guid || undefined, startMiB, sizeMiB].some(
    (one) => one !== undefined,
  );
  return shouldExist === false && hasOthers ? issue(partitionRules.absentWithOthers, []) : undefined;
}

function identityIssue({ label, number }: Partition): Issue | undefined {
  return isNonZero(number) || label !== undefined ? undefined : issue(partitionRules.numberOrLabel, []);
}

const maxLabelBytes = 36;

function labelIssue({ label = '' }: Partition): Issue | undefined {
  if (Buffer.byteLength(label) > maxLabelBytes) return issue(partitionRules.labelTooLong, ['label']);
  return label.includes(':') ? issue(partitionRules.labelColon, ['label']) : undefined;
}

const guidForm = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

function guidIssue(field: 'guid' | 'typeGuid', guid = ''): Issue | undefined {
  return guid === '' || guidForm.test(guid) ? undefined : issue(partitionRules.guid, [field]);
}
