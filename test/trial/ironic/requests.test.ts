import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAgentVersion, queryOf, routeOf } from '../../../src/trial/ironic/messages.ts';

const nowhere = { kind: 'refused', status: 404 };
const otherMethod = { kind: 'refused', status: 405 };

describe('routeOf', () => {
  it.each([
    ['GET', '/', { kind: 'root' }],
    ['HEAD', '', { kind: 'root' }],
    ['GET', '//', { kind: 'root' }],
    ['GET', '/?x=/v1', { kind: 'root' }],
    ['POST', '/', otherMethod],
    ['GET', '/v1', nowhere],
    ['GET', '/v1/lookup?addresses=52:54:00:00:00:01', { kind: 'lookup' }],
    ['GET', '/v1/lookup/', { kind: 'lookup' }],
    ['GET', `/v1/lookup?addresses=${'52%3A54%3A00%3A00%3A00%3A01,'.repeat(1000)}`, { kind: 'lookup' }],
    ['GET', '/lookup', nowhere],
    ['POST', '/v1/lookup', otherMethod],
    ['GET', '/v1/lookup/x', nowhere],
    ['POST', '/v1/heartbeat/worker-0', { kind: 'heartbeat', node: 'worker-0' }],
    ['POST', '/v1/heartbeat', nowhere],
    ['POST', '/v1/heartbeat/a/b', nowhere],
    ['GET', '/v1/heartbeat/a', otherMethod],
    ['POST', '/v1/continue_inspection', { kind: 'inspection' }],
    ['POST', '/v1/continue', { kind: 'inspection' }],
    ['GET', '/v1/continue_inspection', otherMethod],
    ['POST', '/v1/continue_inspection/v1/continue', nowhere],
    ['GET', '/v1/v1/lookup', nowhere],
    ['POST', '//v1/continue', nowhere],
    ['GET', '/v1/nodes', nowhere],
    ['GET', '/v1/../v1/lookup', nowhere],
    ['GET', '/v1/look%', nowhere],
    ['GET', '*', nowhere],
  ] as const)('%s %s', (method, target, route) => {
    expect(routeOf(method, target)).toEqual(route);
  });

  it('takes any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (method, target) => {
        expect(routeOf(method, target)).toHaveProperty('kind');
        expect(routeOf(method, `/v1/heartbeat/${target}`)).toHaveProperty('kind');
        expect([...queryOf(target).keys()]).toBeInstanceOf(Array);
      }),
    );
  });
});

it.each([
  ['1.62', true],
  ['1.68', true],
  ['1.115', true],
  ['1.61', false],
  ['1.116', false],
  ['2.68', false],
  ['latest', false],
  ['', false],
  [undefined, false],
])('agents use the API version %j: %s', (version, isUsed) => {
  expect(isAgentVersion(version)).toBe(isUsed);
});
