// Mocha's `spec` reporter that also adds one line of counts to the file that a test run named, so that the run can say
// how many tests there were without reading them off the screen.
const { appendFileSync } = require('node:fs');
const process = require('node:process');
const { Mocha } = require('mocha');

module.exports = class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const file = process.env.DOCS_AGENT_TEST_COUNTS;
      if (file !== undefined) {
        const { passes: passed, failures: failed, pending: skipped } = this.stats;
        appendFileSync(file, `${JSON.stringify({ passed, failed, skipped })}\n`);
      }
    });
  }
};
