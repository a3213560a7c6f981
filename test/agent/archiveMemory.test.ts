/** What an archive of the agent's image takes of the memory of a host. */

import { describe, expect, it } from 'vitest';
import { archiveMemory } from '../../src/agent/agentArchive.ts';

const layers = [
  { diffId: '', size: 10, unpackedSize: 100 },
  { diffId: '', size: 20, unpackedSize: 200 },
];
const image = { id: '', names: [], architecture: 'amd64', os: 'linux', layers };
const url = 'https://192.0.2.1/a';

describe('archiveMemory', () => {
  it.each([
    ['a docker archive on the medium', { form: 'docker-archive', size: 400 }, {}, [300]],
    ['one that is fetched', { form: 'docker-archive', size: 400 }, { url }, [300, 400]],
    ['one that is compressed', { form: 'docker-archive', size: 50 }, {}, [300, 400]],
    ['an OCI archive on the medium', { form: 'oci-archive', size: 400 }, {}, [300, 400]],
    ['one that is fetched and compressed', { form: 'oci-archive', size: 50 }, { url }, [300, 50, 400]],
  ] as const)('counts %s', (_title, archive, place, expected) => {
    const parts = archiveMemory({ ...archive, unpackedSize: 400 }, image, place);
    expect(parts.map(({ bytes }) => bytes)).toEqual(expected);
  });
});
