import { coded } from '../../shared/protocol/codedText';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TurnFailure } from '../runner/turnFailure';
import { findProgram } from '../../git/findProgram';
import { isBatchFile } from '../../git/programPaths';

/** The script that the batch file starts which npm makes for a package's program (cmd-shim). */
const SCRIPT = /"%(?:~?dp0|dp0)%?\\([^"%]+\.[cm]?js)"\s+%\*/i;

/**
 * The command to start in the place of a batch file, which Windows does not start without a shell, and no shell sees what
 * an agent is given: Node with the script that npm's batch file names. Throws TurnFailure for any other batch file.
 */
export async function withoutBatchFile(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  platform?: NodeJS.Platform,
): Promise<readonly string[]> {
  const [program = '', ...args] = command;
  if (!isBatchFile(program, platform)) {
    return command;
  }
  const script = SCRIPT.exec(await readFile(program, 'utf8').catch(() => ''))?.[1];
  const node = await findProgram('node', environment);
  if (script === undefined || node === undefined) {
    throw new TurnFailure(coded('batchFile', { program }));
  }
  return [node, join(dirname(program), ...script.split('\\')), ...args];
}
