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
