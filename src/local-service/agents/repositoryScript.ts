import { stat } from 'node:fs/promises';
import { extname, isAbsolute, join } from 'node:path';
import { isExecutable } from '../../base/files';
import { coded } from '../../protocol/codedText';
import { TurnFailure } from '../turnFailure';

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

/** Programs that only start another one. */
const WRAPPERS = /^(env|sudo|doas|nice|ionice|nohup|timeout|time|setsid|stdbuf|caffeinate)$/i;

/** Programs that follow files in the current folder, unless they are given another folder or file. */
const RUNNERS =
  /^(g?make|just|task|rake|bundle|npm|pnpm|yarn|mise|uv|poetry|pipenv|pdm|hatch|tox|nox|cargo|gradle|mvn|composer|docker-compose)$/i;
const COMPOSE = /^(docker|podman|nerdctl)$/i;
const ELSEWHERE =
  /^(?:-[fC](.*)|--(?:tsconfig|file|makefile|justfile|directory|project|project-directory|prefix|cwd|dir|working-directory)(?:=(.*))?)$/;

/** These do so too, unless they are told what to run instead: a file outside, or a package from a registry. */
const OPEN_RUNNERS = /^(bun|deno|go|dotnet|nix)$/i;
const FROM_REGISTRY = /^(npm|jsr|https?|github):|^[^.]\S*[@#]/;

/** Commands that get a package from its registry. Registry settings in a repository are withheld from agents. */
const GETS_PACKAGE = /^((npm|pnpm|yarn|bun|mise) (dlx|x|exec)|uv tool)$/i;
const GETS_PACKAGE_ALONE = /^(npx|bunx|pnpx)$/i;

/** Programs that read settings in the current folder, which can replace the modules of a script or name commands. */
const TAKES_SETTINGS = /^(tsx|ts-node|nodemon|vite-node)(?=@|$)/i;

/** Options of Node.js that load a module before the script. A bare name is looked up from the current folder. */
const PRELOADS = /^(?:-r|--(?:require|import|loader|experimental-loader))(?:=(.*))?$/;

/**
 * Refuses a custom command whose program is determined by the repository. An agent starts in the job's clone, so a
 * relative path resolves there, and so do the files that some programs look for. It cannot be started elsewhere,
 * because agents work in the folder in which they are started. A file of the repository that is not a script, such as a
 * page or a list of rules, may be named. Throws TurnFailure.
 */
export async function refuseRepositoryScript(command: readonly string[], folder: string): Promise<void> {
  for (const started of withoutWrappers(command)) {
    for (const each of [started, ...startedPackages(started)]) {
      await refuseStarted(each, folder);
    }
  }
}

async function refuseStarted([program = '', ...args]: readonly string[], folder: string): Promise<void> {
  const name = nameOf(program);
  if (takesModulesFromFolder(name, args)) {
    throw new TurnFailure(coded('ownModulesInRepository', { program: name }));
  }
  if (followsFolderFiles(name, args)) {
    throw new TurnFailure(coded('ownProgramFollowsFiles', { program: name }));
  }
  const runsFiles = isInterpreter(name);
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

/** Whether a program runs the file that it is given. */
export function isInterpreter(name: string): boolean {
  return INTERPRETERS.test(name);
}

function nameOf(program: string): string {
  return (program.split(/[/\\]/).at(-1) ?? '').replace(/\.(exe|cmd|bat)$/i, '');
}

/**
 * The commands that a command may start: without the programs that only start another one, and without their options,
 * variables and durations. What follows an option may be its value or the program, so both are considered.
 */
function withoutWrappers(command: readonly string[]): readonly (readonly string[])[] {
  const starts = new Set([0]);
  // The set grows during iteration.
  for (const start of starts) {
    if (WRAPPERS.test(nameOf(command[start] ?? ''))) {
      starts.delete(start);
      possibleStarts(command, start + 1).forEach((next) => starts.add(next));
    }
  }
  return [...starts].map((start) => command.slice(start));
}

/** Returns the programs that `npx` and similar commands start, if they read settings in the current folder. */
function startedPackages(given: readonly string[]): readonly (readonly string[])[] {
  const command = given.filter((arg) => !/^(-y|--yes|-q|--quiet|-s|--silent)$/.test(arg));
  const name = nameOf(command[0] ?? '');
  const second = command.findIndex((arg, index) => index > 0 && !arg.startsWith('-'));
  const isPair = GETS_PACKAGE.test(`${name} ${command[second] ?? ''}`);
  if (!isPair && !GETS_PACKAGE_ALONE.test(name)) {
    return [];
  }
  return possibleStarts(command, isPair ? second + 1 : 1).flatMap((start) => {
    const program = TAKES_SETTINGS.exec(command[start] ?? '')?.[0];
    return program === undefined ? [] : [[program, ...command.slice(start + 1)]];
  });
}

function possibleStarts(command: readonly string[], from: number): number[] {
  const found: number[] = [];
  for (let index = from; index < command.length; index++) {
    const previous = command[index - 1] ?? '';
    if (/^-|=|^\d/.test(command[index] ?? '') || /^-[ugCD]$/.test(previous)) {
      continue;
    }
    found.push(index);
    if (!previous.startsWith('-')) {
      break;
    }
  }
  return found;
}

/** Options of Python whose value is the next argument. */
const PYTHON_VALUE = /^-[A-Za-z]*[XW]$|^--check-hash-based-pycs$/;

/** Whether Python loads modules from the folder: it does with `-m` and `-c`, unless `-P` or `-I` is given. */
function takesModulesFromFolder(name: string, given: readonly string[]): boolean {
  if (!isPython(name)) {
    return false;
  }
  const args = given.filter((_, index) => !PYTHON_VALUE.test(given[index - 1] ?? ''));
  const program = args.findIndex((arg) => /^-[A-Za-z]*[mc]|^[^-]|^-$/.test(arg));
  const options = program === -1 ? args : args.slice(0, program + 1);
  return !/^[^-]/.test(args[program] ?? '-') && !options.some((arg) => /^-[A-Za-bd-ln-z]*[PI]/.test(arg));
}

export function isPython(program: string): boolean {
  return /^((python|pypy)[\d.]*|py)$/i.test(nameOf(program));
}

function followsFolderFiles(name: string, args: readonly string[]): boolean {
  if (GETS_PACKAGE.test(`${name} ${args.find((arg) => !arg.startsWith('-')) ?? ''}`)) {
    return false;
  }
  if (/^node(js)?$/i.test(name)) {
    return runsPackageScript(args) || preloadsFromFolder(args);
  }
  if (OPEN_RUNNERS.test(name)) {
    return !args.some((arg) => isAbsolute(arg) || FROM_REGISTRY.test(arg));
  }
  const isRunner = RUNNERS.test(name) || TAKES_SETTINGS.test(name) || (COMPOSE.test(name) && args.includes('compose'));
  return isRunner && !args.some((_, index) => isElsewhere(args, index));
}

/** Whether Node.js runs a script of the package.json in the current folder. */
function runsPackageScript(args: readonly string[]): boolean {
  const program = args.findIndex((arg, index) => !arg.startsWith('-') && !args[index - 1]?.startsWith('-'));
  return args.slice(0, program === -1 ? undefined : program).some((arg) => /^--run(=|$)/.test(arg));
}

/** Whether Node.js looks up a module from the current folder, where package.json can claim any name. */
function preloadsFromFolder(args: readonly string[]): boolean {
  const isModule = (index: number): boolean => {
    const [option, attached] = PRELOADS.exec(args[index - 1] ?? '') ?? [];
    return option !== undefined && attached === undefined;
  };
  const program = args.findIndex((arg, index) => !arg.startsWith('-') && !isModule(index));
  return args.slice(0, program === -1 ? undefined : program).some((arg, index) => {
    const [option, attached] = PRELOADS.exec(arg) ?? [];
    const module = attached ?? args[index + 1] ?? '';
    return option !== undefined && !isAbsolute(module) && !/^(file|node|data):|^\.{1,2}[/\\]/.test(module);
  });
}

/** Whether this is an option that sets the folder or file to an absolute path. */
function isElsewhere(args: readonly string[], index: number): boolean {
  const [option, attached = '', value = ''] = ELSEWHERE.exec(args[index] ?? '') ?? [];
  return option !== undefined && isAbsolute(attached || value || (args[index + 1] ?? ''));
}
