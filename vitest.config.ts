import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // Starting each of hundreds of files anew takes half of the time. No test leaves anything behind for another one.
    isolate: false,
  },
});
