/**
 * How long tests wait, in milliseconds. On a machine with much other work, a test takes up to thirty times as long, and none may
 * fail; so a test that hangs is seen late.
 */

/** Of a test, and of what prepares it. */
export const TEST_LIMIT = 300_000;

/** Until something happens by itself. */
export const WAIT_LIMIT = 120_000;
