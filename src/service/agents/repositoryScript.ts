import { stat } from 'node:fs/promises';
import { extname, isAbsolute, join } from 'node:path';
import { isExecutable } from '../../shared/util/fileModes';
import { TurnFailure } from '../runner/turnFailure';

/** Programs that run the file that they are given. */
const INTERPRETERS =
  /^(env|sudo|(ba|da|z|k|fi)?sh|node(js)?|bun|deno|tsx|ts-node|python[\d.]*|uv|ruby|perl|php|lua|pwsh|powershell|cmd|make|just|osascript)(\.exe)?$/i;
const SCRIPTS = [
  '.sh',
  '.bash',
  '.zsh',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.py',
  '.rb',
  '.pl',
  '.php',
  '.lua',
  '.ps1',
  '.cmd',
  '.bat',
];

/**
 * Refuses a command of the user's own whose script is a file of the repository: an agent starts in the job's clone, so that
 * a relative path leads there. It can't be started elsewhere, because agents work in the folder that they are started in.
 * A file of the repository that is no script, such as a page or a list of rules, may be named. Throws TurnFailure.
 */
export async function refuseRepositoryScript(
  [program = '', ...args]: readonly string[],
  folder: string,
): Promise<void> {
  const runsFiles = INTERPRETERS.test(program.split(/[/\\]/).at(-1) ?? '');
  for (const arg of args) {
    const path = arg.replace(/^-[^=]*=/, '');
    if (path === '' || path.startsWith('-') || isAbsolute(path)) {
      continue;
    }
    const found = await stat(join(folder, path)).catch(() => undefined);
    const isScript =
      runsFiles || SCRIPTS.includes(extname(path).toLowerCase()) || (found !== undefined && isExecutable(found));
    if (found?.isFile() === true && isScript) {
      throw new TurnFailure(
        `“${path}” in your agent’s command is a file of the repository, and nothing in a repository decides what runs. Name the script by its absolute path (docsAgent.local.agentCommand, or --agent-command).`,
      );
    }
  }
}
