import { choice, flag, readOptions, text, texts, UsageError, usageOf } from '../options';

export interface CheckCommandLine {
  folder: string;
  /** The lines that are checked: those added from one commit to the other; all pages when undefined. */
  range: { base: string; head: string } | undefined;
  /** Further repositories whose code counts. */
  code: readonly string[];
  /** Whether likely findings are shown, too. */
  all: boolean;
  sarif: string | undefined;
  codeQuality: string | undefined;
  json: boolean;
  cache: boolean;
}

export const CHECK_OPTIONS = {
  base: text('COMMIT', 'check the lines added since the merge base with this commit'),
  head: text('COMMIT', '… up to this commit (default: HEAD)'),
  code: texts('FOLDER', 'another repository whose code counts; repeatable'),
  all: flag('also show findings that are only likely'),
  sarif: text('FILE', 'also write the findings as SARIF 2.1.0, for GitHub and others'),
  codeQuality: text('FILE', 'also write them as a Code Quality report, for GitLab'),
  json: flag('print one JSON object per line, as soon as something is found'),
  cache: choice('cache', "read and write the cache in the user's cache folder (default)", 'neither read nor write it'),
  help: flag('show this help'),
};

/** @returns undefined when help is asked for; throws UsageError */
export function parseCheckCommandLine(args: string[]): CheckCommandLine | undefined {
  const { values, positionals } = readOptions(CHECK_OPTIONS, args, true);
  if (values.help) {
    return undefined;
  }
  if (positionals.length > 1) {
    throw new UsageError('Specify only one folder. Use --code for other repositories.');
  }
  const { base, head = base === undefined ? undefined : 'HEAD', code = [] } = values;
  if (head !== undefined && base === undefined) {
    throw new UsageError('--head needs --base.');
  }
  return {
    folder: positionals[0] ?? '.',
    range: base === undefined || head === undefined ? undefined : { base, head },
    code,
    all: values.all,
    sarif: values.sarif,
    codeQuality: values.codeQuality,
    json: values.json,
    cache: values.cache !== false,
  };
}

export const checkUsage = (called: string): string => `Usage: ${called} [FOLDER] [options]

Checks the documentation of a Git repository against its code, without network access and without running anything
from the repository. It reads the pages in the working tree, and the code and the history through git.

Without --base: what pages say and the code no longer has: names, default values, and files that links lead to. Each
finding has its evidence: the commit that changed the code.
With --base: the same on the lines added to pages since then, and also names that are nowhere in the code, its history,
or the types of installed packages; links, anchors, and images that lead nowhere; and JSON, YAML, and TOML blocks that
aren't valid.

  FOLDER                  folder in the repository (default: the current one)
${usageOf(CHECK_OPTIONS)}
Names to ignore, and globs of documentation and code, are in .docs-agent/checks.json.

It takes at most two minutes of processor time, without that of git. What was found until then is printed, also if you
stop it. Exit codes: 0 nothing found, 1 findings, 2 the check could not run or was stopped.
`;
