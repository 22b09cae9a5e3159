import { MAX_CODE_FILE } from '../base/limits';
import type { Loss } from './codeHistory';
import { literalsAt } from './defaultClaims';
import type { DefaultClaim } from './defaultsOnPage';
import { type Evidence, MAX_EVIDENCE_LINE } from './finding';
import { formsOf, sameLiteral } from './literals';
import { type ClassifiedName, isStructured } from './names';
import {
  declares,
  hasOwnName,
  isComment,
  isDeclared,
  isDefined,
  isListOfPackages,
  isMember,
  isSettings,
  splitImports,
} from './ownNames';
import type { Repository } from './ports';
import { hunksWith, successorIn, type SuccessorTest } from './successors';
import { WordTable } from './wordTable';

/** A loss before which a name was one of this code. */
export interface OwnLoss {
  loss: Loss;
  word: string;
  /** Whether the file defined it. */
  isDefinition: boolean;
}

/** Reads what was lost, each version of a file once. */
export class Losses {
  private readonly texts = new Map<string, string>();

  constructor(private readonly repositories: readonly Repository[]) {}

  /** Reads the versions before and after these losses. */
  async load(losses: readonly Loss[]): Promise<void> {
    for (const [index, repository] of this.repositories.entries()) {
      const here = losses.filter((each) => each.repository === index);
      const ids = [...new Set(here.flatMap(({ before, after }) => [before, after ?? before]))];
      const missing = ids.filter((id) => !this.texts.has(id));
      let at = 0;
      for await (const content of missing.length === 0 ? [] : repository.contents(missing)) {
        const text = content === undefined ? '' : content.toString('latin1', 0, MAX_CODE_FILE);
        this.texts.set(missing[at++] ?? '', text);
      }
    }
  }

  /**
   * Returns the losses of a name, newest first, before which it was one of this code, as opposed to one that it only
   * imported, called, or mentioned.
   *
   * @param words what the code calls it
   */
  own(
    name: Pick<ClassifiedName, 'kind' | 'isPlain' | 'role' | 'inCommand'>,
    words: ReadonlyMap<string, readonly Loss[]>,
  ): OwnLoss[] {
    const own: OwnLoss[] = [];
    let isImported = false;
    for (const [word, losses] of words) {
      for (const loss of losses) {
        const text = this.texts.get(loss.before) ?? '';
        const { imports, code } = splitImports(isListOfPackages(loss.path, text) ? [] : codeLines(loss.path, text));
        const isOwn = hasOwnName(loss.path, code, word, name) && isOwnEnough(name, loss.path, code, word);
        if (isOwn) {
          own.push({ loss, word, isDefinition: isDefined(code, word) || isMember(text, code, word) });
        }
        isImported ||= imports.some((line) => line.includes(word));
      }
    }
    const mayBeForeign = isImported || name.kind === 'identifier' || name.kind === 'keyPath';
    // Of the losses of one commit, that of the definition tells most.
    return mayBeForeign && !own.some(({ isDefinition }) => isDefinition)
      ? []
      : own.toSorted(
          (one, other) =>
            other.loss.commit.date - one.loss.commit.date || Number(other.isDefinition) - Number(one.isDefinition),
        );
  }

  /** What became of a word in a change: its line, the one in its place, and the word in its place, if it is there now. */
  explain(loss: Loss, word: string, ...test: SuccessorTest): { evidence: Evidence; successor?: string } {
    const [, read] = test;
    const before = this.linesOf(loss.before);
    const hasWord = (line: string): boolean => (read === undefined ? line.includes(word) : read(line).includes(word));
    const hunks = hunksWith(word, before, this.linesOf(loss.after)).filter(({ deleted }) => deleted.some(hasWord));
    const found = hunks.map((hunk) => ({ hunk, successor: successorIn(word, hunk, ...test) }));
    const best = found.find(({ successor }) => successor !== undefined) ?? found[0];
    const lines = best?.hunk.deleted.filter(hasWord) ?? [];
    const line =
      lines.find((each) => isDefined([each], word)) ??
      lines.find((each) => !isComment(each, each.indexOf(word))) ??
      lines[0] ??
      '';
    const { successor } = best ?? {};
    const added = best?.hunk.added ?? [];
    const same = successor === undefined ? undefined : line.replaceAll(word, successor);
    const after =
      added.find((each) => each === same) ?? added.find((each) => successor === undefined || each.includes(successor));
    const at = before.indexOf(line);
    const evidence = {
      commit: loss.commit,
      repository: loss.repository,
      path: loss.path,
      line: at === -1 ? null : at + 1,
      before: shortened(line),
      after: after === undefined ? null : shortened(after),
    };
    return successor === undefined ? { evidence } : { evidence, successor };
  }

  /** How a change replaced the default of a name in a definition; undefined if it is not the one that is there now. */
  changedDefault(
    loss: Loss,
    { name, literal }: Pick<DefaultClaim, 'name' | 'literal'>,
    now: readonly string[],
  ): { loss: Loss; evidence: Evidence; current: string } | undefined {
    const read = (id: string | undefined): { line: string; literals: string[] }[] =>
      definitions(id === undefined ? '' : (this.texts.get(id) ?? ''), name);
    const before = read(loss.before).find(({ literals }) =>
      literals.some((each) => sameLiteral(each, literal) === true),
    );
    const after = read(loss.after).find(({ literals }) =>
      literals.some((each) => now.some((current) => sameLiteral(each, current) === true)),
    );
    const current = after?.literals.find((each) => now.some((other) => sameLiteral(each, other) === true));
    if (before === undefined || after === undefined || current === undefined) {
      return undefined;
    }
    const at = this.linesOf(loss.before).indexOf(before.line);
    const { commit, repository, path } = loss;
    const lines = { line: at + 1, before: shortened(before.line), after: shortened(after.line) };
    return { loss, evidence: { commit, repository, path, ...lines }, current };
  }

  private linesOf(id: string | undefined): string[] {
    return id === undefined ? [] : (this.texts.get(id) ?? '').split('\n');
  }
}

/** The lines of a text with a name, and the defaults that they give to it. */
function definitions(text: string, name: string): { line: string; literals: string[] }[] {
  const table = new WordTable();
  formsOf(name).forEach((form) => table.add(form));
  const found: { line: string; literals: string[] }[] = [];
  const bytes = Buffer.from(text, 'latin1');
  table.scan(bytes, (_, start, end) => {
    const literals = literalsAt(bytes, start, end);
    if (literals.length > 0) {
      const lineEnd = text.indexOf('\n', end);
      found.push({
        line: text.slice(text.lastIndexOf('\n', start) + 1, lineEnd === -1 ? undefined : lineEnd),
        literals,
      });
    }
  });
  return found;
}

/** Whether a word can hardly be one of a sentence: `maxRetries`, `max_retries`, `retry-max`. */
function isNamed(word: string): boolean {
  return isStructured(word) || word.includes('-');
}

/** Whether a name in code on a page is one that this code declared: such code has many names of other software. */
function isOwnEnough(
  { kind, role, inCommand }: Pick<ClassifiedName, 'kind' | 'role' | 'inCommand'>,
  path: string,
  code: readonly string[],
  word: string,
): boolean {
  if (!inCommand || kind === 'file') {
    // A word that may be one of a sentence, or of a variable, counts only where it is declared. A flag was one.
    return kind === 'flag' || isNamed(word) || isDeclared(code, word);
  }
  if (role === 'command') {
    return isNamed(word);
  }
  if (kind !== 'flag' && !isNamed(word)) {
    return role === 'function' && isDeclared(code, word);
  }
  return !isSettings(path) && declares(code, word, role === 'flag' || role === 'variable' || role === 'key');
}

/** The lines of a file, without the texts in them that document it. */
function codeLines(path: string, text: string): string[] {
  return (/\.pyi?$/.test(path) ? text.replace(/("""|''')[^]*?\1/g, '""') : text).split('\n');
}

function shortened(line: string): string {
  return Buffer.from(line.trim(), 'latin1').toString('utf8').slice(0, MAX_EVIDENCE_LINE);
}
