import { stat } from 'node:fs/promises';
import { extname, isAbsolute, join } from 'node:path';
import { isExecutable } from '../../base/files';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../jobs/guidance';

/** Programs that run the file that they are given. */
const INTERPRETERS =
  /^(env|sudo|(ba|da|z|k|fi)?sh|node(js)?|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|pwsh|powershell|cmd|pipx|osascript)(\.exe)?$/i;
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

/** Programs that only start another. */
const WRAPPERS = /^(env|sudo|doas|nice|ionice|nohup|timeout|time|setsid|stdbuf|caffeinate)$/i;

/** Programs that do what files of the current folder say, unless they are told another folder or file. */
const RUNNERS =
  /^(g?make|just|task|rake|bundle|npm|pnpm|yarn|mise|uv|poetry|pipenv|pdm|hatch|tox|nox|cargo|gradle|mvn|composer|docker-compose)$/i;
const COMPOSE = /^(docker|podman|nerdctl)$/i;
const ELSEWHERE =
  /^(?:-[fC](.*)|--(?:file|makefile|justfile|directory|project|project-directory|prefix|cwd|dir|working-directory)(?:=(.*))?)$/;

/** These do so unless they are told what to run instead: a file outside, or what a registry has. */
const OPEN_RUNNERS = /^(bun|deno|go|dotnet|nix)$/i;
const FROM_REGISTRY = /^(npm|jsr|https?|github):|^[^.]\S*[@#]/;

/** What gets a package from its registry: settings for that which a repository brings are kept from agents. */
const GETS_PACKAGE = /^((npm|pnpm|yarn|bun|mise) (dlx|x|exec)|uv tool)$/i;

/**
 * Refuses a command of the user's own whose program is decided by the repository: an agent starts in the job's clone, so
 * that a relative path leads there, and so does what some programs look for. It can't be started elsewhere, because agents
 * work in the folder that they are started in. A file of the repository that is no script, such as a page or a list of
 * rules, may be named. Throws TurnFailure.
 */
export async function refuseRepositoryScript(command: readonly string[], folder: string): Promise<void> {
  const [program = '', ...args] = withoutWrappers(command);
  const name = nameOf(program);
  if (takesModulesFromFolder(name, args)) {
    throw new TurnFailure(coded('ownModulesInRepository', { program: name }));
  }
  if (doesWhatFolderSays(name, args)) {
    throw new TurnFailure(coded('ownProgramFollowsFiles', { program: name }));
  }
  const runsFiles = INTERPRETERS.test(name);
  for (const arg of args) {
    // `--require=./x.js`, and `-r./x.js`
    const path = arg.replace(/^-[^=]*=|^-[A-Za-z](?=\.{1,2}[/\\])/, '');
    if (path === '' || path.startsWith('-') || isAbsolute(path)) {
      continue;
    }
    const found = await stat(join(folder, path)).catch(() => undefined);
    const isScript =
      runsFiles || SCRIPTS.includes(extname(path).toLowerCase()) || (found !== undefined && isExecutable(found));
    if (found?.isFile() === true && isScript) {
      throw new TurnFailure(coded('ownScriptInRepository', { path }));
    }
  }
}

function nameOf(program: string): string {
  return (program.split(/[/\\]/).at(-1) ?? '').replace(/\.(exe|cmd|bat)$/i, '');
}

/** The command that others only start, with their options, variables and times left out. */
function withoutWrappers(command: readonly string[]): readonly string[] {
  let rest = command;
  while (WRAPPERS.test(nameOf(rest[0] ?? ''))) {
    const next = rest.findIndex(
      (arg, index) => index > 0 && !/^-|=|^\d/.test(arg) && !/^-[ugCD]$/.test(rest[index - 1] ?? ''),
    );
    rest = next === -1 ? [] : rest.slice(next);
  }
  return rest;
}

/** Python does with `-m` and `-c`, unless `-P` or `-I` says otherwise. */
function takesModulesFromFolder(name: string, args: readonly string[]): boolean {
  if (!isPython(name)) {
    return false;
  }
  const program = args.findIndex((arg) => /^-[A-Za-z]*[mc]|^[^-]|^-$/.test(arg));
  const options = program === -1 ? args : args.slice(0, program + 1);
  return !/^[^-]/.test(args[program] ?? '-') && !options.some((arg) => /^-[A-Za-bd-ln-z]*[PI]/.test(arg));
}

/** Whether a program is Python. */
export function isPython(program: string): boolean {
  return /^((python|pypy)[\d.]*|py)$/i.test(nameOf(program));
}

function doesWhatFolderSays(name: string, args: readonly string[]): boolean {
  if (GETS_PACKAGE.test(`${name} ${args.find((arg) => !arg.startsWith('-')) ?? ''}`)) {
    return false;
  }
  if (OPEN_RUNNERS.test(name)) {
    return !args.some((arg) => isAbsolute(arg) || FROM_REGISTRY.test(arg));
  }
  const isRunner = RUNNERS.test(name) || (COMPOSE.test(name) && args.includes('compose'));
  return isRunner && !args.some((_, index) => isElsewhere(args, index));
}

/** Whether an option names an absolute path as the folder or file. */
function isElsewhere(args: readonly string[], index: number): boolean {
  const [option, attached = '', value = ''] = ELSEWHERE.exec(args[index] ?? '') ?? [];
  return option !== undefined && isAbsolute(attached || value || (args[index + 1] ?? ''));
}
