/** Users, groups and owners of a config that runs no agent. `interop/ignition.test.ts` boots the same configs. */

import { describe, expect, it } from 'vitest';
import { lintHost } from '../../../src/agent/lint/lintConfig.ts';
import { formatPath } from '../../../src/core/finding.ts';
import { accountConfigs } from '../../support/accountConfigs.ts';
import { now } from './support.ts';

describe('users, groups and owners', () => {
  it.each(accountConfigs)('$title', ({ config, finding }) => {
    const found = lintHost(config, { now }).map(({ rule, path }) => `${rule} ${formatPath(path)}`);
    expect(found).toEqual(finding === undefined ? [] : [finding]);
  });

  it('are not checked beside a config that may create them', () => {
    const ignition = { version: '3.4.0', config: { merge: [{ source: 'https://192.0.2.1/a.ign' }] } };
    const passwd = { users: [{ name: 'a', groups: ['nope'] }] };
    expect(lintHost({ ignition, passwd }, { now })).toEqual([]);
  });
});
