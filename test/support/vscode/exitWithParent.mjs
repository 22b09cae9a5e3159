// Loaded into the processes of a test run: when the parent exits, even if killed, this process exits too, and with it
// the server and the browser that it started. The parent sets the variable to show that it holds the other end of
// standard input.
import { isMainThread } from 'node:worker_threads';

// Worker threads load this too, and their own input is at its end from the start.
if (isMainThread) {
  process.once('SIGTERM', () => process.exit(143));
  if (process.env.DOCS_AGENT_TEST_CHILD === '1') {
    process.stdin.once('end', () => process.exit(143)).resume();
    process.stdin.unref();
  }
}
