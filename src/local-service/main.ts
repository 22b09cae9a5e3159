import { fileURLToPath } from 'node:url';

const args = process.argv.slice(2);
if (args[0] === '--supervise') {
  // A job waits for its supervisor, which needs nothing of the rest.
  (await import('./agents/supervisor')).supervise();
} else {
  const { orExit, runCommandLine } = await import('./runCommandLine');
  await orExit(() => runCommandLine(args, fileURLToPath(import.meta.url)));
}
