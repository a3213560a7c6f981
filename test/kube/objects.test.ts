/** What is taken for an object of Kubernetes, and where the API server has it. */

import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/kube/apiError.ts';
import {
  collectionPath,
  leases,
  objectPath,
  queryText,
  readObject,
  secrets,
} from '../../src/kube/objects.ts';

const metadata = { namespace: 'metal3', name: 'worker-0', resourceVersion: '7' };

describe('readObject', () => {
  it('keeps what metadata is known by, and all that is not metadata', () => {
    const value = {
      kind: 'Secret',
      data: { a: 'b' },
      metadata: { ...metadata, labels: { a: 'b' }, finalizers: ['f'], managedFields: [{}] },
    };
    expect(readObject(value, 'get secrets')).toEqual({
      kind: 'Secret',
      data: { a: 'b' },
      metadata: {
        ...metadata,
        generation: 0,
        labels: { a: 'b' },
        finalizers: ['f'],
        deletionTimestamp: undefined,
      },
    });
  });

  it.each([
    ['text', 'x'],
    ['null', null],
    ['a list', [metadata]],
    ['no metadata', { kind: 'Secret' }],
    ['metadata without a name', { metadata: { ...metadata, name: undefined } }],
  ])('refuses %s', (_title, value) => {
    expect(() => readObject(value, 'get secrets')).toThrow(ApiError);
  });
});

describe('paths', () => {
  it.each([
    [collectionPath(secrets, undefined), '/api/v1/secrets'],
    [collectionPath(secrets, 'metal3'), '/api/v1/namespaces/metal3/secrets'],
    [
      objectPath(leases, { namespace: 'metal3', name: 'a.b' }),
      '/apis/coordination.k8s.io/v1/namespaces/metal3/leases/a.b',
    ],
    [objectPath(secrets, { namespace: 'a/b', name: '?c' }), '/api/v1/namespaces/a%2Fb/secrets/%3Fc'],
    [queryText({ a: undefined }), ''],
    [queryText({ continue: 'a=b,c!=d', limit: '5' }), '?continue=a%3Db%2Cc%21%3Dd&limit=5'],
  ])('%s', (path, expected) => {
    expect(path).toBe(expected);
  });
});
