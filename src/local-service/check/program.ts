#!/usr/bin/env node
import { nodeProblem } from '../nodeVersion';

// The npm package's program. The rest is loaded afterwards: an older Node.js can't even parse it.
const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
  process.exitCode = await (await import('./check')).check(process.argv.slice(2), 'docs-agent-check');
} else {
  process.stderr.write(`docs-agent-check: ${problem}\n`);
  process.exitCode = 2;
}
