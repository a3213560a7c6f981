import { defineConfig } from 'vitest/config';
import type { TestModule } from 'vitest/node';
import { TEST_LIMIT, WAIT_LIMIT } from './test/support/patience.ts';

/** What has no input and output of its own, so that all of it can run in the process of its tests. */
const pureFolders = [
  'agent',
  'commands/controller/api',
  'commands/deploy/documents',
  'commands/download/artifacts',
  'core',
  'formats',
  'hosts/artifacts',
  'http/server/answer',
  'ignition',
  'image',
  'ipa',
  'kargs',
  'network',
  'service/status',
  'trial/ironic',
  'trial/timeline',
];

/** Prints how many tests were left to `npm run oracles`, which asks real programs. */
function printUnasked(modules: readonly TestModule[]): void {
  const titles = modules.flatMap((module) =>
    [...module.children.allTests('skipped')].map((test) => test.fullName),
  );
  const unasked = titles.filter((title) => title.includes('(skipped: npm run oracles asks '));
  if (unasked.length > 0)
    process.stdout.write(`\n${unasked.length} tests compare with real programs: npm run oracles\n`);
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/packageFolder.ts', 'test/support/temporaryFolder.ts'],
    setupFiles: 'test/support/setup.ts',
    // The built program is run as it is.
    server: { deps: { external: [/\/dist\/[^/]*\.js$/] } },
    reporters: ['default', { onTestRunEnd: printUnasked }],
    // Each run of the program makes the same calls of the system.
    env: { NODE_DISABLE_COMPILE_CACHE: '1' },
    testTimeout: TEST_LIMIT,
    hookTimeout: TEST_LIMIT,
    expect: { poll: { timeout: WAIT_LIMIT, interval: 20 } },
    // By default one processor stays free for the terminal.
    maxWorkers: '100%',
    // Starting each of hundreds of files anew takes half of the time. No test leaves anything behind for another one.
    isolate: false,
    // A golden text that is missing is a failure, as in CI; `-u` writes them.
    update: 'none',
    // `npm run coverage`. What stays uncovered: errors passed on that are none of ours, limits that no test could reach
    // in its time (16 GiB unpacked), and on Node before 22.15 its zstd (src/formats/zstd/decode.ts).
    coverage: {
      provider: 'v8',
      include: [`src/{${pureFolders.join(',')}}/**/*.ts`],
      reporter: ['text', 'json-summary'],
      thresholds: Object.fromEntries(pureFolders.map((folder) => [`src/${folder}/**`, { lines: 95 }])),
    },
  },
});
