import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryOf, routeOf } from '../../../src/trial/ironic/messages.ts';

const nowhere = { kind: 'refused', answer: expect.objectContaining({ status: 404, headers: {} }) };
const onlyBy = (Allow: string): object => ({
  kind: 'refused',
  answer: expect.objectContaining({ status: 405, headers: { Allow } }),
});

describe('routeOf', () => {
  it.each([
    ['GET', '/', { kind: 'root' }],
    ['GET', '', { kind: 'root' }],
    ['GET', '//', { kind: 'root' }],
    ['GET', '/?x=/v1', { kind: 'root' }],
    ['POST', '/', { kind: 'root' }],
    ['GET', '/v1', { kind: 'v1' }],
    ['HEAD', '/v1/', { kind: 'v1' }],
    ['POST', '/v1', onlyBy('GET')],
    ['GET', '/v1/lookup?addresses=52:54:00:00:00:01', { kind: 'lookup' }],
    ['GET', '/v1/lookup/', { kind: 'lookup' }],
    ['GET', '/lookup', { kind: 'lookup' }],
    ['GET', `/v1/lookup?addresses=${'52%3A54%3A00%3A00%3A00%3A01,'.repeat(1000)}`, { kind: 'lookup' }],
    ['POST', '/v1/lookup', onlyBy('GET')],
    ['GET', '/v1/lookup/x', onlyBy('GET')],
    ['POST', '/v1/heartbeat/worker-0', { kind: 'heartbeat', node: 'worker-0' }],
    ['POST', '/v1/heartbeat/a%20b', { kind: 'heartbeat', node: 'a b' }],
    ['POST', '/v1/heartbeat', { kind: 'heartbeat', node: undefined }],
    ['POST', '/v1/heartbeat/a/b', onlyBy('POST')],
    ['GET', '/v1/heartbeat/a', onlyBy('POST')],
    ['POST', '/v1/continue_inspection', { kind: 'inspection', service: 'ironic' }],
    ['POST', '/continue_inspection', { kind: 'inspection', service: 'ironic' }],
    ['POST', '/v1/continue', { kind: 'inspection', service: 'inspector' }],
    ['GET', '/v1/continue', onlyBy('POST')],
    ['POST', '/v1/continue_inspection/v1/continue', onlyBy('POST')],
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
