import { MAX_CODE_LINE } from '../base/limits';
import type { ClassifiedName } from './names';

/** Copies of other software. */
const VENDOR = /(?:^|\/)(?:vendor|third[-_]?party|node_modules|bower_components)\//i;

/** Lists of packages, and settings of tools: the names in them mostly belong to other software. */
const SETTINGS_OF_TOOLS =
  /(?:^|\/)(?:\.[^/]+(?:\/.*)?|(?:cargo|pyproject)\.toml|go\.mod|gemfile|pipfile|[^/]+\.gemspec|requirements[^/]*\.txt|pom\.xml|composer\.json|[tj]sconfig[^/]*\.json|tslint\.json|[^/]+\.config\.[cm]?[jt]s|[^/]+\.gradle(?:\.kts)?|[^/]+\.(?:versions\.toml|nuspec|csproj|props|targets)|setup\.py|(?:setup|tox|pytest|mypy)\.(?:cfg|ini))$/i;

const FOR_TESTS =
  /(?:^|\/)(?:(?:[\w-]+-)?tests?|specs?|__tests__|e2e|__?fixtures?__|fixtures?|test-?data|__mocks__|mocks?|examples?|samples?|demos?|playgrounds?|templates?|benche?s|benchmarks?)\//;
const TEST =
  /(?:^|\/)test_(?!helper|util|support)[^/]*$|[._-](?:test|spec)\.\w+$|Tests?\.\w+$|(?:^|\/)(?:playground|sandbox)\.\w+$/;
/** Code here is meant for others even if its file is named like a test: a base class for their tests, for example. */
const MAIN = /(?:^|\/)src\/main\//;

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!define|if|include)|--\s|<!--|;|%|"""|''')/;
const COMMENT_BEFORE = /\s(?:\/\/|\/\*|#\s)/;
const IMPORT =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#include\b|@import\b)|\brequire(?:_relative)?\s*[('"]|\bimport\(/;
/** Matches the text before a name that is declared. */
const DECLARED =
  /\b(?:function|fun|func|fn|def|defp|sub|class|interface|type|struct|enum|trait|record|module|namespace|object)[*!]?\s+(?:\([^()]{0,100}\)\s*|[\w.:#]{0,100}[.:#])?$/;
/** Matches the text before a parameter of a function. */
const PARAMETER_OF = /\b(?:def|function|func|fn|fun|constructor)\b[^()]*\([^()]*$/;
/** Matches the text before a name that is called. */
const CALLED =
  /(?:[-=<>]>|[^\w\s>\])*&~@#$"'`]|\b(?:return|await|new|throw|yield|in|of|not|and|or|if|else|case|do|go|defer))$/;

/** Whether a file is a test, an example, a copy of other software, or has settings of tools, rather than this code. */
export function isOtherCode(path: string): boolean {
  return (
    VENDOR.test(path) || FOR_TESTS.test(path) || SETTINGS_OF_TOOLS.test(path) || (TEST.test(path) && !MAIN.test(path))
  );
}

/** Maximum number of places looked at in a line. */
const MAX_PLACES = 5;

/**
 * Whether a file uses the word as a name of this code. Names that are only imported or called may belong to other
 * software, and comments may mention anything. Tests have many names that mean nothing elsewhere, so only the functions
 * and types that they share count.
 *
 * @param lines all lines of the file, or some of them
 */
export function hasOwnName(
  path: string,
  lines: readonly string[],
  word: string,
  { kind, isPlain }: Pick<ClassifiedName, 'kind' | 'isPlain'>,
): boolean {
  if (VENDOR.test(path)) {
    return false;
  }
  if (kind === 'variable') {
    return lines.some((line) => line.length <= MAX_CODE_LINE && line.includes(word) && isVariableAt(line, word));
  }
  if (SETTINGS_OF_TOOLS.test(path) || (TEST.test(path) && !MAIN.test(path))) {
    return false;
  }
  const isOwn = FOR_TESTS.test(path) ? isDeclaredAt : isOwnAt;
  return lines.some(
    (line) =>
      line.length <= MAX_CODE_LINE && line.includes(word) && isOwn(line, word) && (!isPlain || hasCode(line, word)),
  );
}

/** Environment variables are often set in tests and settings, and described in comments as `NAME=value`. */
function isVariableAt(line: string, word: string): boolean {
  return places(line, word).some((at) => /^\s*[=:]/.test(line.slice(at + word.length))) || hasCode(line, word);
}

/** Whether one of the lines defines the name: as a function, a type, a value, or a member. */
export function isDefined(lines: readonly string[], word: string): boolean {
  return lines.some(
    (line) =>
      line.length <= MAX_CODE_LINE &&
      line.includes(word) &&
      places(line, word).some(
        (at) =>
          DECLARED.test(line.slice(0, at)) ||
          (/^["'`]?\??\s*(?::(?!:)|:?=(?![=>]))/.test(line.slice(at + word.length)) &&
            !/\bcase\s+["'`]?$/.test(line.slice(0, at))) ||
          isMethod(line.slice(0, at), line.slice(at + word.length)) ||
          isKeyOf(line.slice(0, at), line.slice(at + word.length)),
      ),
  );
}

/** `"name" => 1` and `:name => 1`, and names in tags of Go's fields: `yaml:"name,omitempty"`. */
function isKeyOf(before: string, after: string): boolean {
  return (/["':]$/.test(before) && /^["']?\s*=>/.test(after)) || (/[`\s]\w+:"$/.test(before) && /^[",]/.test(after));
}

/** Whether a line of a file with enumerations may be a member of one: `Warmup,`. */
export function isMember(text: string, lines: readonly string[], word: string): boolean {
  const isAlone = new RegExp(`^\\s*${word}\\s*,?\\s*$`);
  return /\benum\b/.test(text) && /^[A-Z]\w*$/.test(word) && lines.some((line) => isAlone.test(line));
}

/** Whether the text before and after a name declares a method: `async retry(times): Promise<void> {`. */
function isMethod(before: string, after: string): boolean {
  return after.startsWith('(') && /^[\w\s<>[\],.?*&:@]*$/.test(before) && !isCall(before, after);
}

/** Matches the text before a field or a key with which its line begins. */
const BEGINS_FIELD = /^\s*(?:(?:public|private|protected|internal|readonly|static|pub|export)\s+)*["']?$/;

/** Whether one of the lines declares a function, a type, a parameter, or a field of this name, as opposed to a variable. */
export function isDeclared(lines: readonly string[], word: string): boolean {
  return lines.some(
    (line) =>
      line.length <= MAX_CODE_LINE &&
      line.includes(word) &&
      !COMMENT.test(line) &&
      places(line, word).some((at) => {
        const before = line.slice(0, at);
        const after = line.slice(at + word.length);
        const isField = BEGINS_FIELD.test(before) && /^["']?\??\s*:(?!:)/.test(after);
        return DECLARED.test(before) || PARAMETER_OF.test(before) || isField || isKeyOf(before, after);
      }),
  );
}

/**
 * Whether one of the lines declares a function or type with this name or, if it can't be a common word, a member or a
 * parameter.
 *
 * @param mayBeQuoted whether a string of just this word is enough, as for flags and settings
 */
export function declares(lines: readonly string[], word: string, mayBeQuoted: boolean): boolean {
  const isWord = !/[A-Z_-]/.test(word.slice(1));
  return lines.some(
    (line) =>
      line.length <= MAX_CODE_LINE &&
      line.includes(word) &&
      places(line, word).some((at) => {
        const before = line.slice(0, at);
        const after = line.slice(at + word.length);
        const isQuoted = mayBeQuoted && /(?:--|["'`:])$/.test(before) && /^(?:["'`=,|\s]|$)/.test(after);
        const isMember =
          !/[(=,]|^\s+(?:const|let|var|val|final|auto)\s/.test(before) &&
          before.trim().split(/\s+/, 6).length < 6 &&
          /^["'`]?\??\s*(?::(?!:)|=(?![=>]))/.test(after) &&
          !(after.includes('=') && after.trimEnd().endsWith(','));
        const isOwn = !isWord && !isComment(line, at) && (PARAMETER_OF.test(before) || isMember);
        return DECLARED.test(before) || isQuoted || isOwn;
      }),
  );
}

function isDeclaredAt(line: string, word: string): boolean {
  return places(line, word).some((at) => DECLARED.test(line.slice(0, at)));
}

function isOwnAt(line: string, word: string): boolean {
  if (COMMENT.test(line) || IMPORT.test(line)) {
    return false;
  }
  return places(line, word).some((at) => {
    const before = line.slice(0, at);
    return !COMMENT_BEFORE.test(before) && !isCall(before, line.slice(at + word.length));
  });
}

/** Whether the text before and after a name makes it a call, not a declaration. */
function isCall(before: string, after: string): boolean {
  if (!after.startsWith('(') || DECLARED.test(before)) {
    return false;
  }
  const start = before.trimEnd();
  // Many languages declare methods as `retry(times) {` or `retry(times): void;`.
  return start === '' ? /\);?\s*$/.test(after) && !/\)\s*(?::|->)/.test(after) : CALLED.test(start);
}

/** The offsets at which a line contains the whole word. */
function places(line: string, word: string): number[] {
  const found: number[] = [];
  for (let at = line.indexOf(word); at !== -1 && found.length < MAX_PLACES; at = line.indexOf(word, at + word.length)) {
    if (!/\w/.test(line[at - 1] ?? '') && !/\w/.test(line[at + word.length] ?? '')) {
      found.push(at);
    }
  }
  return found;
}

/** Whether the word at a place of a line is in a comment. */
export function isComment(line: string, at: number): boolean {
  return COMMENT.test(line) || COMMENT_BEFORE.test(line.slice(0, at));
}

/** Whether the word at `[start, end)` of a line is a name in code, not a word of a sentence. */
export function isCodeAt(line: string, start: number, end: number): boolean {
  const before = line.slice(0, start).trimEnd().at(-1) ?? '';
  const after = line.slice(end).trimStart()[0] ?? '';
  return !/[\w,]/.test(before) || !/[\w,]/.test(after);
}

function hasCode(line: string, word: string): boolean {
  return !COMMENT.test(line) && places(line, word).some((at) => isCodeAt(line, at, at + word.length));
}

/** Separates imports, including those that span several lines, from the other lines of a file. */
export function splitImports(lines: readonly string[]): { imports: string[]; code: string[] } {
  const imports: string[] = [];
  const code: string[] = [];
  let closing: string | undefined;
  for (const line of lines) {
    const isInside = closing !== undefined;
    if (closing !== undefined) {
      closing = line.includes(closing) ? undefined : closing;
    } else if (line.length <= MAX_CODE_LINE) {
      const opening = /^\s*(?:import|from|use|export(?=\s+(?:type\s+)?\{))\b[^'";=]*([({])\s*$/.exec(line)?.[1];
      closing = opening === undefined ? undefined : opening === '(' ? ')' : '}';
    }
    const isImport = isInside || closing !== undefined || (line.length <= MAX_CODE_LINE && IMPORT.test(line));
    (isImport ? imports : code).push(line);
  }
  return { imports, code };
}

/** Whether a file has settings for a program, as opposed to code that defines them. */
export function isSettings(path: string): boolean {
  return /(?<!values|schema|metadata|openapi)\.(?:ya?ml|json|toml|ini|cfg|conf|properties|tf|tfvars)$/.test(path);
}

/** Whether a file is a `package.json` that defines no names. Those of editor extensions do, such as settings. */
export function isListOfPackages(path: string, text: string): boolean {
  return /(?:^|\/)package\.json$/.test(path) && !text.includes('"contributes"');
}
