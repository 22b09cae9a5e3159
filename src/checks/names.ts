import type { NameKind } from './finding';

/** What a page says a name is; `any` if it doesn't say. */
export type NameRole = 'flag' | 'variable' | 'function' | 'type' | 'key' | 'command' | 'file' | 'any';

/** A name that a page shows in code font. */
export interface ClassifiedName {
  kind: NameKind;
  role: NameRole;
  /** As the page shows it, without dollar signs, arguments and values. */
  name: string;
  /** Where it starts in the code span. */
  offset: number;
  /** What the code must contain: one word of each group, as returned by `wordsOf`; for a file, its path. */
  groups: readonly (readonly string[])[];
  /** A lowercase word that nothing marks as code, so prose and other programs may use it as well. */
  isPlain: boolean;
  /** Part of a command line whose program may belong to other software, or of other code. */
  inCommand: boolean;
  /**
   * The common program that this command line runs, or the module of a type. If no file or folder in the repository is
   * called that, this name doesn't belong to this code, either.
   */
  owner?: string;
}

/** A longer code span isn't a name. */
const MAX_SPAN = 300;
const MIN_NAME = 3;

const FLAG = /^--([A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*)(?:[= [].*)?$/;
const VARIABLE = /^\$?\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\}?(?:=\S*)?$/;
const WORD =
  /^(?:(?:new|await|async|def|function|func|fn|class|interface|type|enum|const|let|import)[ ])?[@$.#&~]?([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)[?!]?(\(.*\))?;?$/;
const ELEMENT = /^<\/?([A-Z][A-Za-z0-9]*)(?:[ ].*)?\/?>$/;
const KEY_PATH =
  /^(?:new[ ])?[$~]?([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*(?:(?:\.|::|->|\?\.|#)[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)+)(?:\(.*\)|\[.*\])?;?$/;
const PATH = /^(?:\.\/)?([\w.@+-]+(?:\/[\w.@+-]+)*\/?)$/;
const PLAIN = /^[a-z][a-z0-9]*$/;

/** File extensions that make a name without a folder a file; with any other, it could be a member of an object. */
const FILE_ENDING =
  /\.(?:tsx?|jsx?|[cm]js|[cm]ts|json|ya?ml|toml|py|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|sh|sql|css|scss|html|vue|svelte|xml|ini|cfg|conf|env|lock|gradle|proto|graphql)$/;
const DOMAIN = /\.(?:com|org|net|io|dev|app|ai|co|edu|gov|example|local|test|invalid)$/;

/** The names in a code span. */
export function classify(span: string): ClassifiedName[] {
  if (span.length > MAX_SPAN) {
    return [];
  }
  const text = span.trim();
  const offset = span.indexOf(text);
  const single = classifyName(text);
  if (single !== undefined) {
    return [{ ...single, offset: offset + single.offset }];
  }
  const names = /[ =]/.test(text) ? namesInCommand(text) : [];
  return (names.length === 0 ? namesInCode(text) : names).map((name) => ({ ...name, offset: offset + name.offset }));
}

/** Programs that run tasks of a repository. */
const RUNNER =
  /^(?:make|rake|gradlew?|\.\/gradlew|mvn|npm|pnpm|yarn|bun|deno|just|task|cargo|composer|tox|nox|invoke|poe|pdm|hatch|mix|sbt|php|bin\/\w+)$/;

/**
 * The names in a command line: flags, variables, files, tasks and subcommands. Its other words are mostly values.
 */
export function namesInCommand(text: string): ClassifiedName[] {
  const names: ClassifiedName[] = [];
  let program: string | undefined;
  let words = 0;
  for (const { 0: word, index } of text.matchAll(/[^\s"'`|;&()]+/g)) {
    const isRunner = RUNNER.test(program ?? '');
    const isFlag = word.startsWith('--') || VARIABLE.test(word);
    const task = program === undefined ? undefined : classifyTask(word, isRunner || words === 0);
    const found = isFlag ? classifyName(word) : word.includes('/') ? classifyFile(word) : task;
    if (found !== undefined) {
      // A plain word can only be a subcommand of a program of this repository.
      const isOwned = found.isPlain || ((found.kind === 'flag' || found === task) && isCommonWord(program ?? ''));
      const owner = isOwned && program !== undefined && !isRunner ? { owner: program } : {};
      names.push({ ...found, inCommand: true, ...owner, offset: index + found.offset });
    }
    words += program !== undefined && /^[a-z]/.test(word) ? 1 : 0;
    program ??= /^(?:\$|#|>|%|sudo|npx|exec|time|\w+=.*)$/.test(word) ? undefined : word;
  }
  return names;
}

/** A task or a subcommand: `db:migrate`, `old_task`, `:app:oldTask`; a plain word only if it is in their place. */
function classifyTask(word: string, isPlace: boolean): Classified {
  const name = /^:?([A-Za-z_][\w-]*(?::[A-Za-z_][\w-]*)*)$/.exec(word)?.[1] ?? '';
  const parts = name.split(':').filter(isWorthwhile);
  const isTask = isStructured(name) || (isPlace && (name.includes(':') || name.includes('-')));
  if (parts.length === 0 || (!isTask && !isPlace)) {
    return undefined;
  }
  return named(['identifier', 'command'], name, word, parts.map(wordKeys), !isTask);
}

/** The first name in a longer piece of code, such as a type with parameters, a declaration, or a setting. */
function namesInCode(text: string): ClassifiedName[] {
  // A message of an error is output.
  if (/:\/\/|^\w+(?:Error|Exception): /.test(text) || (/^["']/.test(text) && text.includes(' '))) {
    return [];
  }
  if (/^[a-z][\w-]*(?::[a-z][\w-]*)+$/.test(text)) {
    return [classifyTask(text, true)].flatMap((task) => task ?? []).map((task) => ({ ...task, inCommand: true }));
  }
  const start = /^(?:[a-z]+ )?([A-Za-z_]\w{2,99})(?:<[^()]{0,99}>)?(?=[(<[:=]|\s[:=])/.exec(text)?.[1];
  for (const { 0: word, index } of text.matchAll(/[A-Za-z_]\w*(?:-\w+)*(?:(?:\.|::|->|#)[A-Za-z_]\w*(?:-\w+)*)*/g)) {
    const isName = isStructured(word) || word === start || /\w-\w+-\w/.test(word);
    // Parts of paths and versions aren't names.
    if (isName && !/[/@]/.test(text.charAt(index - 1) + text.charAt(index + word.length)) && !FILE_ENDING.test(word)) {
      const isCall = word === start && /^(?:<[^()]*>)?\(/.test(text.slice(index + word.length));
      const found = classifyKeyPath(word) ?? classifyWord(isCall ? `${word}()` : word);
      if (found !== undefined) {
        return [{ ...found, inCommand: true, offset: index + found.offset }];
      }
    }
  }
  return [];
}

type Classified = ClassifiedName | undefined;

function named(
  [kind, role]: readonly [NameKind, NameRole],
  name: string,
  text: string,
  groups: readonly (readonly string[])[],
  isPlain = false,
): ClassifiedName {
  return { kind, role, name, offset: text.indexOf(name), groups, isPlain, inCommand: false };
}

/** The name that a text is. */
export function classifyName(text: string): Classified {
  return (
    classifyFlag(text) ?? classifyVariable(text) ?? classifyFile(text) ?? classifyKeyPath(text) ?? classifyWord(text)
  );
}

function classifyFlag(text: string): Classified {
  const flag = FLAG.exec(text)?.[1];
  // With further flags, it is a command line. Some flags are those of every program, mostly from a library.
  if (
    flag === undefined ||
    flag.length < MIN_NAME ||
    /^(?:help|version|verbose|quiet|debug)$/.test(flag) ||
    text.includes(' -')
  ) {
    return undefined;
  }
  // Each part of `--web.listen-address` is a separate word in the code.
  const parts = flag.split('.').filter((part) => part.length >= MIN_NAME);
  return named(['flag', 'flag'], `--${flag}`, text, parts.map(flagKeys));
}

/** How code declares a flag: as it is, or as a name in one of the usual notations; `--no-x` is often declared as `x`. */
function flagKeys(flag: string): string[] {
  const positive = /^no-(.{3,})$/.exec(flag)?.[1];
  return [...new Set([flag, ...notations(flag), ...(positive === undefined ? [] : notations(positive))])];
}

function notations(name: string): string[] {
  const parts = name.split(/[-_]/);
  const camel = parts.map((part, at) => (at === 0 ? part : capitalized(part))).join('');
  return [parts.join('-'), parts.join('_'), camel, capitalized(camel), parts.join('_').toUpperCase()];
}

/**
 * The spellings of a word in code: most languages write names with hyphens differently, and instances are often named
 * after their type.
 */
function wordKeys(word: string): string[] {
  if (word.includes('-')) {
    return notations(word);
  }
  const other = /^[A-Z]/.test(word) ? word.slice(0, 1).toLowerCase() + word.slice(1) : capitalized(word);
  return isStructured(word) && !word.includes('_') ? [word, other] : [word];
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function classifyVariable(text: string): Classified {
  const name = VARIABLE.exec(text)?.[1];
  return name === undefined ? undefined : named(['variable', 'variable'], name, text, [[name]]);
}

function classifyFile(text: string): Classified {
  const path = PATH.exec(text)?.[1];
  if (path === undefined || /^[.@\d-]+$|\.\.\.|(?:^|\/)\.\.(?:\/|$)/.test(path) || path.startsWith('@')) {
    return undefined;
  }
  const folders = path.split('/').filter((part) => part !== '');
  const last = folders.at(-1) ?? '';
  const isFolder = path.endsWith('/') && folders.length > 1;
  const isFile = folders.length > 1 ? /^[\w.@+-]*\.[A-Za-z]\w{0,9}$/.test(last) : FILE_ENDING.test(last);
  if ((!isFile && !isFolder) || DOMAIN.test(folders[0] ?? '') || last.length < MIN_NAME) {
    return undefined;
  }
  return named(['file', 'file'], path, text, [[folders.join('/')]]);
}

function classifyKeyPath(text: string): Classified {
  const name = KEY_PATH.exec(text)?.[1];
  if (name === undefined || DOMAIN.test(name)) {
    return undefined;
  }
  const parts = name.split(/\.|::|->|\?\.|#/);
  // The parts before the last one are often names that exist only in the example or, in capitals, placeholders.
  const mayBeOurs = (part: string): boolean => (isStructured(part) || part.includes('-')) && !/^[A-Z0-9_]+$/.test(part);
  const tested = parts.filter((part, at) => (at === parts.length - 1 || mayBeOurs(part)) && isWorthwhile(part));
  if (tested.length === 0) {
    return undefined;
  }
  const isPlain = tested.every((part) => PLAIN.test(part));
  const [first = ''] = parts;
  const module = PLAIN.test(first.replaceAll('_', '')) && /^[A-Z]/.test(parts.at(-1) ?? '') ? { owner: first } : {};
  const role = text.includes('(') ? 'function' : roleOfWord(parts.at(-1) ?? '');
  return { ...named(['keyPath', role], name, text, tested.map(wordKeys), isPlain), ...module };
}

function classifyWord(text: string): Classified {
  const [, element] = ELEMENT.exec(text) ?? [];
  const [, word = element, call] = WORD.exec(text) ?? [];
  // Words in capitals are mostly abbreviations or protocol keywords.
  if (word === undefined || !isWorthwhile(word) || /^[A-Z0-9]+$/.test(word)) {
    return undefined;
  }
  const role = call === undefined ? roleOfWord(word) : 'function';
  return named(['identifier', role], word, text, [wordKeys(word)], PLAIN.test(word) && call === undefined);
}

/** Most languages begin types, and nothing else, with a capital. */
function roleOfWord(word: string): NameRole {
  return /^[A-Z][A-Za-z0-9]*$/.test(word) && /[a-z]/.test(word) ? 'type' : 'any';
}

function isWorthwhile(word: string): boolean {
  return word.length >= MIN_NAME && !isCommonWord(word);
}

/** Whether a word looks like a name in code, not like a word of prose: `maxRetries`, `max_retries`, `HttpClient`. */
export function isStructured(word: string): boolean {
  return /[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(word);
}

/** The words of a line of code. A word with hyphens is returned whole and in parts. */
export function wordsOf(code: string): string[] {
  const words: string[] = [];
  for (const word of code.match(/[A-Za-z_]\w*(?:-\w+)*/g) ?? []) {
    words.push(word);
    if (word.includes('-')) {
      word.split('-').forEach((part) => words.push(part));
    }
  }
  return words;
}

/**
 * Words that don't count as names of a repository: keywords, literals, and types of languages; programs and words of
 * shells; formats and methods of HTTP. A repository may well use one as a name, but there is no telling which is meant.
 */
const COMMON = new Set(
  `
abstract and any array arguments as assert async auto await base begin bigint bit bool boolean break byte case catch
chan char class const constructor continue crate debugger declare def default defer del delete do double dyn elif else
elsif empty end ensure enum except export extends extern fallthrough false final finally float fn for foreach friend
from func function get global go goto if impl implements import in include inline instanceof int integer interface
internal is keyof lambda let local long loop map match method mod module mut mutable namespace native never new nil none
not null number object of operator optional or override package pass private protected protocol pub public raise
readonly record ref register require rescue return satisfies sealed select self set short signed sizeof static str
string struct sub super switch symbol sync table template then this throw throws trait transient true try tuple type
typedef typeof uint undefined union unknown unless unsafe unsigned until use using var void volatile when where while
with xor yield iterable iterator promise Promise String Number Boolean Object Array Date Error Function Map Set Symbol
RegExp Buffer Integer Double Float Long List Dict Tuple Optional Union Any None True False Vec Option Result Record
Partial Exception Throwable Class Void

alias awk bash brew bun bundle cargo cat chmod chown cmake composer conda cp curl dart deno dnf docker dotnet echo env
exec exit export find fish gcc gem git gradle grep helm java jq kill kubectl less ln ls make maven mkdir mvn mv ninja
node nodejs npm npx nuget nvm open perl php pip pipx pnpm poetry powershell pwd python python3 rbenv rm rsync ruby
rustc rustup scp sed sh sort source ssh sudo systemctl tail tar tee terraform test top touch uv vim watch wget which
winget xargs yarn zsh install uninstall update upgrade run build start stop serve init login logout publish add remove

csv css html http https json jsonc markdown mdx svg toml txt url uri uuid utf utf-8 xml yaml yml
head post put patch options trace connect utf8 ascii base64 sha256 sha-1 sha-256 md5

main master develop latest stable next beta alpha canary dev prod production staging development localhost root admin
user users name names value values key keys list lists item items file files folder path paths data text title label
date time error errors warning warnings info debug silent message messages status body header headers query page pages
link links image images line lines code example examples foo bar baz qux hello world
on off yes no all auto low medium high left right center top bottom small large
`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

export function isCommonWord(word: string): boolean {
  return COMMON.has(word);
}
