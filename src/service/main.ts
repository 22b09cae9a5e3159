import { fileURLToPath } from 'node:url';
import { parseCommandLine, UsageError } from './commandLine';
import { USAGE } from './usage';

/** Exit codes: 0 ended on request, 1 failed, 2 started wrongly, 3 another service works on the same data folder. */
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
    case 'serve':
      await (await import('./serve')).serve(commandLine.options, fileURLToPath(import.meta.url));
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`docs-agent service: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? STARTED_WRONGLY : ((error as { exitCode?: number }).exitCode ?? 1);
}
