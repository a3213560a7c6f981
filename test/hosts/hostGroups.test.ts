import { expect, it } from 'vitest';
import { keepRemarks, reportGroups } from '../../src/hosts/hostRun.ts';
import { testRun } from './support.ts';

it('keeps the order in which remarks came up, and few names of many hosts', () => {
  const { run, told } = testRun();
  for (let index = 0; index < 1000; index++) {
    keepRemarks([{ severity: 'warning', message: index % 2 === 0 ? 'x' : 'y' }], `h${index}`, run);
  }
  keepRemarks([], 'z', run);
  reportGroups(run);
  expect(told()).toBe(
    'warning: x\n  for h0, h2, h4 and 497 more\nwarning: y\n  for h1, h3, h5 and 497 more\n',
  );
});
