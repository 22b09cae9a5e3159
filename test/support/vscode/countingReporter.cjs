// Mocha's `spec` reporter that also appends one line of counts per test file to the file that a test run named, so that
// the run can count the tests and list the failed ones at its end.
const { appendFileSync } = require('node:fs');
const process = require('node:process');
const { setTimeout } = require('node:timers');
const { Mocha } = require('mocha');

/** How long a run may take to end after its last test, in milliseconds. */
const MAX_ENDING = 60_000;

/** In characters: enough for the expected and the actual value. */
const MAX_MESSAGE = 600;

module.exports = class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const files = new Map();
    const add = (test, kind, error) => {
      const file = test.file ?? test.parent?.file ?? '';
      const counts = files.get(file) ?? { file, passed: 0, failed: 0, skipped: 0, failures: [] };
      counts[kind]++;
      if (kind === 'failed') {
        counts.failures.push(`${test.fullTitle()}: ${String(error?.message ?? error).slice(0, MAX_MESSAGE)}`);
      }
      files.set(file, counts);
    };
    runner.on('pass', (test) => add(test, 'passed'));
    // A failed hook counts as well.
    runner.on('fail', (test, error) => add(test, 'failed', error));
    runner.on('pending', (test) => add(test, 'skipped'));
    runner.once('end', () => {
      const file = process.env.DOCS_AGENT_TEST_COUNTS;
      if (file !== undefined) {
        const lines = [...files.values(), { ended: true }].map((line) => `${JSON.stringify(line)}\n`);
        appendFileSync(file, lines.join(''));
        // A test that fails may leave a connection open.
        setTimeout(() => {
          process.stderr.write('Something that a test left open keeps this run from ending.\n');
          process.exit(1);
        }, MAX_ENDING).unref();
      }
    });
  }
};
