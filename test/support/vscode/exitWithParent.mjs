// Loaded into the processes of a test run: when the one above goes away, even killed, this one ends too, and with it the
// server and the browser that it started. The one above says by the variable that it holds the other end of our input.
import { isMainThread } from 'node:worker_threads';

// A second thread loads this too, and its own input is at its end from the beginning.
if (isMainThread) {
  process.once('SIGTERM', () => process.exit(143));
  if (process.env.DOCS_AGENT_TEST_CHILD === '1') {
    process.stdin.once('end', () => process.exit(143)).resume();
    process.stdin.unref();
  }
}
