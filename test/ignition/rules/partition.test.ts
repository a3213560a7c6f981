import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

const guid = '01234567-89ab-CDEF-EDCB-A98765432101';

describe('partitions', () => {
  it.each([
    [{ number: 1 }, []],
    [{ number: -1 }, []],
    [{ label: '' }, []],
    [{}, ['partition-number-or-label']],
    [{ number: 0 }, ['partition-number-or-label']],
    [{ number: 1, shouldExist: false }, []],
    [{ number: 1, shouldExist: false, guid: '', typeGuid: '' }, []],
    [{ number: 1, shouldExist: false, guid }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, typeGuid: guid }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, label: '' }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, startMiB: 0 }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: false, sizeMiB: 0 }, ['partition-absent-with-others']],
    [{ number: 1, shouldExist: true, sizeMiB: 0 }, []],
    [{ label: 'x'.repeat(36) }, []],
    [{ label: 'x'.repeat(37) }, ['partition-label-too-long at label']],
    [{ label: 'é'.repeat(19) }, ['partition-label-too-long at label']],
    [{ label: 'a:b' }, ['partition-label-colon at label']],
    [{ label: `:${'x'.repeat(36)}` }, ['partition-label-too-long at label']],
    [{ number: 1, guid, typeGuid: guid.toLowerCase() }, []],
    [
      { number: 1, guid: 'x', typeGuid: `{${guid}}` },
      ['partition-guid at guid', 'partition-guid at typeGuid'],
    ],
    [{ number: 1, guid: `${guid}\n` }, ['partition-guid at guid']],
    [{ number: 1, guid: `{${guid}` }, ['partition-guid at guid']],
  ])('%j breaks %j', (partition, rules) => {
    expect(brokenRules('Partition', partition)).toEqual(rules);
  });
});
