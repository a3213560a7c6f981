import { expect, it } from 'vitest';
import { readConsoleLogs } from '../../../src/trial/console/consoleLog.ts';

it.each([
  ['worker-1=sol.log', { host: 'worker-1', path: 'sol.log' }],
  ['52:54:00:aa:bb:cc=a=b.log', { host: '52:54:00:aa:bb:cc', path: 'a=b.log' }],
  ['52-54-00-AA-BB-CC=sol.log', { host: '52:54:00:aa:bb:cc', path: 'sol.log' }],
])('--console-log %s names a host as --expect does', (value, log) => {
  expect(readConsoleLogs([value], ['52:54:00:aa:bb:cc', 'worker-1'])).toEqual([log]);
});
