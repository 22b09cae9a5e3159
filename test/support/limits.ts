// Time limits in tests only end what hangs, so they are far longer than anything takes on a busy machine that stalls
// for a minute. How fast something is belongs in `test/bench`.

/** How long a test may take, in milliseconds. */
export const TEST_LIMIT = 300_000;

/** How long a test may wait for one thing, in milliseconds. */
export const WAIT_LIMIT = 120_000;
