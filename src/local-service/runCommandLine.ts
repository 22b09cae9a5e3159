import { parseCommandLine, PROGRAM_NAME, serveUsage } from './commandLine';
import { nodeProblem } from './nodeVersion';
import { UsageError } from './options';

/**
 * Exit codes: 0 ended on request, 1 failed, 2 started incorrectly, 3 another service uses the same data folder, 4 a
 * newer version wrote the data. Those of `check` are in `check/checkCommandLine.ts`.
 */
const USAGE_EXIT_CODE = 2;

/**
 * Runs the command line of the local service.
 *
 * @param program the file that runs, which is also started as a supervisor
 * @param called the name of the program in its help
 */
export async function runCommandLine(args: string[], program: string, called = PROGRAM_NAME): Promise<void> {
  if (args[0] === 'check') {
    process.exitCode = await (await import('./check/check')).check(args.slice(1), `${called} check`);
    return;
  }
  if (args[0] === 'merge' || args[0] === 'close') {
    process.exitCode = await (await import('./decide')).decide(args[0], args.slice(1), called);
    return;
  }
  if (args[0] === 'mcp') {
    (await import('./mcp/mcp')).mcp(args.slice(1), program, called);
    return;
  }
  if (args[0] === '--launch') {
    await (await import('../client/localServiceProcess')).launchService(program, args[1] ?? '', []);
    return;
  }
  if (args[0] === '--supervise') {
    (await import('./agents/supervisor')).supervise();
    return;
  }
  if (args[0] !== undefined && !args[0].startsWith('-')) {
    throw new UsageError(`There is no command “${args[0]}”. See --help.`);
  }
  const options = parseCommandLine(args);
  if (options === undefined) {
    process.stdout.write(serveUsage(called));
    return;
  }
  await (await import('./serve')).serve(options, program);
}

/** Runs the program, and ends it with a message and an exit code if that fails. */
export async function orExit(run: () => Promise<void>): Promise<void> {
  try {
    // Before the rest is loaded: an older Node.js fails to load it without saying why.
    const problem = nodeProblem(process.versions.node);
    if (problem !== undefined) {
      throw new UsageError(problem);
    }
    await run();
  } catch (error) {
    const code = error instanceof UsageError ? USAGE_EXIT_CODE : ((error as { exitCode?: number }).exitCode ?? 1);
    const words = `docs-agent service: ${error instanceof Error ? error.message : String(error)}\n`;
    // Exit explicitly: the listener may already be open, and would keep a half-started service alive that no one can
    // find.
    process.stderr.write(words, () => process.exit(code));
  }
}
