import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What has no input and output of its own, so that all of it can run in the process of its tests. */
const pureFolders = [
  'agent',
  'commands/controller/api',
  'commands/deploy/documents',
  'commands/download/artifacts',
  'commands/serve/status',
  'commands/try/ironic',
  'commands/try/timeline',
  'core',
  'formats',
  'hosts/artifacts',
  'http/server/answer',
  'ignition',
  'image',
  'ipa',
  'kargs',
  'network',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `cargo install` puts coreos-installer there, which is seldom in the PATH of services.
    env: { PATH: [process.env['PATH'], join(homedir(), '.cargo/bin')].join(delimiter) },
    testTimeout: 60_000,
    // Hooks start servers and build samples; on a loaded machine they take as long as tests.
    hookTimeout: 60_000,
    // By default one processor stays free for the terminal.
    maxWorkers: '100%',
    // Starting each of hundreds of files anew takes half of the time. No test leaves anything behind for another one.
    isolate: false,
    // A golden text that is missing is a failure, as in CI; `-u` writes them.
    update: 'none',
    // `npm run coverage`. What stays uncovered: errors passed on that are none of ours, limits that no test could reach
    // in its time (16 GiB unpacked, a million files), and on Node before 22.15 its zstd (src/formats/zstd/decode.ts).
    coverage: {
      provider: 'v8',
      include: [`src/{${pureFolders.join(',')}}/**/*.ts`],
      reporter: ['text', 'json-summary'],
      thresholds: Object.fromEntries(pureFolders.map((folder) => [`src/${folder}/**`, { lines: 95 }])),
    },
  },
});
