import { delimiter, isAbsolute } from 'node:path';

/** The variables that a program started by the service may see, in capitals. */
const ALLOWED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TMPDIR', 'TERM', 'SHELL'],
  ...[
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'APPDATA',
    'LOCALAPPDATA',
    'USERPROFILE',
    'TEMP',
    'TMP',
    'PATHEXT',
    'COMSPEC',
  ],
];

const LOCALE = /^LC_[A-Z]+$/;

/**
 * The part of an environment that a program may see. Everything else stays out: keys and tokens, and what would steer
 * the program (`VSCODE_*`, `GIT_*`, `NODE_OPTIONS`, `ELECTRON_RUN_AS_NODE`). Names compare without case, because Windows
 * spells them `Path` and `SystemRoot`.
 *
 * Of PATH only what is absolute: the rest, and an empty element, would be searched in the current folder, which is often a
 * repository.
 */
export function allowedEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const upper = name.toUpperCase();
    const kept = upper === 'PATH' ? absoluteFolders(value) : value;
    if (kept !== undefined && (ALLOWED.includes(upper) || LOCALE.test(upper))) {
      allowed[name] = kept;
    }
  }
  return allowed;
}

/** Undefined where there is none: an empty PATH would mean the current folder. */
function absoluteFolders(path = ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.length === 0 ? undefined : folders.join(delimiter);
}
