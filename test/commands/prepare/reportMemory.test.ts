/** The memory that machines need, as one line however many hosts and ways to boot there are. */

import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { UNPACKED_IMAGE } from '../../../src/agent/agentArchive.ts';
import { reportMemory } from '../../../src/commands/prepare/finish.ts';
import type { BootWay } from '../../../src/core/artifacts.ts';
import type { MemoryNeed } from '../../../src/hosts/artifacts/hostMemory.ts';

const GIB = 1024 ** 3;
const need = (boot: BootWay, gib: number, what = 'live system'): MemoryNeed => ({
  boot,
  minimum: gib * GIB,
  parts: [{ what, bytes: gib * GIB }],
});

interface Told {
  readonly said: string;
  readonly notes: readonly string[];
}

function tell(
  hosts: Parameters<typeof reportMemory>[0],
  unlisted: Parameters<typeof reportMemory>[1] = [],
): Told {
  const said: string[] = [];
  const notes: string[] = [];
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      said.push(String(chunk));
      done();
    },
  });
  reportMemory(hosts, unlisted, { stderr, note: (text) => void notes.push(text) });
  return { said: said.join(''), notes };
}

const pulled = '; 6 GiB recommended, because the agent image is pulled';

describe('the memory of machines', () => {
  it.each<[title: string, hosts: Parameters<typeof reportMemory>[0], line: string]>([
    [
      'one host, one way',
      [{ name: 'a', memory: [need('network', 2)] }],
      `memory: at least 2 GiB to boot over the network${pulled}\n`,
    ],
    [
      'the same for each way',
      [{ name: 'a', memory: [need('network', 2), need('iso', 2)] }],
      `memory: at least 2 GiB to boot over the network and from an ISO${pulled}\n`,
    ],
    [
      'other amounts for other ways',
      [{ name: 'a', memory: [need('network', 3.2), need('minimal-iso', 3.2), need('iso', 2)] }],
      `memory: at least 3.2 GiB to boot over the network and from a minimal ISO, 2 GiB from an ISO${pulled}\n`,
    ],
    [
      'hosts that need different amounts',
      [
        { name: 'a', memory: [need('iso', 2)] },
        { name: 'b', memory: [need('iso', 3.2)] },
      ],
      `memory: at least 2 GiB to 3.2 GiB to boot from an ISO${pulled}\n`,
    ],
    [
      'an agent image that comes along',
      [{ name: 'a', memory: [need('iso', 2, UNPACKED_IMAGE)] }],
      'memory: at least 2 GiB to boot from an ISO\n',
    ],
    ['nothing known', [{ name: 'a' }], ''],
  ])('is one line: %s', (_title, hosts, line) => {
    expect(tell(hosts).said).toBe(line);
  });

  it('is told in parts, by host, for --verbose', () => {
    const unlisted = [{ architecture: 'aarch64', ...need('iso', 2) }];
    expect(tell([{ name: 'a', memory: [need('network', 1)] }], unlisted)).toEqual({
      said: `memory: at least 1 GiB to boot over the network, 2 GiB from an ISO${pulled}\n`,
      notes: [
        'memory of a over the network: 1 GiB for the live system',
        'memory of machines that are not listed (aarch64) from an ISO: 2 GiB for the live system',
      ],
    });
  });
});
