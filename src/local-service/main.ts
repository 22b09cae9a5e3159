import { fileURLToPath } from 'node:url';
import { parseCommandLine, USAGE, UsageError } from './commandLine';
import { nodeProblem } from './nodeVersion';

/**
 * Exit codes: 0 ended on request, 1 failed, 2 started wrongly, 3 another service works on the same data folder, 4 a newer
 * version wrote it.
 */
const STARTED_WRONGLY = 2;

async function main(): Promise<void> {
  const commandLine = parseCommandLine(process.argv.slice(2));
  switch (commandLine.mode) {
    case 'help':
      process.stdout.write(USAGE);
      return;
    case 'supervise':
      (await import('./agents/supervisor')).supervise();
      return;
    case 'serve': {
      // Before the rest is loaded, which an older one can't do, and doesn't say why.
      const problem = nodeProblem(process.versions.node);
      if (problem !== undefined) {
        throw new UsageError(problem);
      }
      await (await import('./serve')).serve(commandLine.options, fileURLToPath(import.meta.url));
    }
  }
}

try {
  await main();
} catch (error) {
  const code = error instanceof UsageError ? STARTED_WRONGLY : ((error as { exitCode?: number }).exitCode ?? 1);
  const words = `docs-agent service: ${error instanceof Error ? error.message : String(error)}\n`;
  // The listener may be open already, and would keep half a service alive that nobody can find.
  process.stderr.write(words, () => process.exit(code));
}
