import { MAX_CODE_FILE } from '../base/limits';
import type { Loss } from './codeHistory';
import { type Evidence, MAX_EVIDENCE_LINE } from './finding';
import type { ClassifiedName } from './names';
import { hasOwnName, isDefined, isListOfPackages, splitImports } from './ownNames';
import type { Repository } from './ports';
import { hunksWith, successorIn } from './successors';

/** How many losses of a name are looked at, newest first. */
const MAX_LOSSES = 20;

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
    name: Pick<ClassifiedName, 'kind' | 'isPlain'>,
    words: ReadonlyMap<string, readonly Loss[]>,
  ): { loss: Loss; word: string }[] {
    const own: { loss: Loss; word: string }[] = [];
    let [isImported, hasDefinition] = [false, false];
    for (const [word, losses] of words) {
      for (const loss of losses.slice(0, MAX_LOSSES)) {
        const text = this.texts.get(loss.before) ?? '';
        const { imports, code } = splitImports(isListOfPackages(loss.path, text) ? [] : text.split('\n'));
        const isOwn = hasOwnName(loss.path, code, word, name);
        if (isOwn) {
          own.push({ loss, word });
        }
        isImported ||= imports.some((line) => line.includes(word));
        hasDefinition ||= isOwn && isDefined(code, word);
      }
    }
    return isImported && !hasDefinition
      ? []
      : own.toSorted((one, other) => other.loss.commit.date - one.loss.commit.date);
  }

  /** What became of a word in a change: its line, the one in its place, and the word in its place, if it is there now. */
  explain(loss: Loss, word: string, isThere: (word: string) => boolean): { evidence: Evidence; successor?: string } {
    const before = this.linesOf(loss.before);
    const hunks = hunksWith(word, before, this.linesOf(loss.after));
    const found = hunks.map((hunk) => ({ hunk, successor: successorIn(word, hunk, isThere) }));
    const best = found.find(({ successor }) => successor !== undefined) ?? found[0];
    const line = best?.hunk.deleted.find((each) => each.includes(word)) ?? '';
    const { successor } = best ?? {};
    const after = best?.hunk.added.find((each) => successor === undefined || each.includes(successor));
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

  private linesOf(id: string | undefined): string[] {
    return id === undefined ? [] : (this.texts.get(id) ?? '').split('\n');
  }
}

function shortened(line: string): string {
  return Buffer.from(line.trim(), 'latin1').toString('utf8').slice(0, MAX_EVIDENCE_LINE);
}
