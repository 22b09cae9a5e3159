import type { Drafts } from '../drafts';
import { type ComposerTarget, composerDraft, readDraftName } from './composerTarget';

/** A prompt that holds text, whether its document is open or not. */
export interface PromptDraft {
  target: ComposerTarget;
  text: string;
  /** When it was typed last, in milliseconds. */
  at: number;
  /** Its place among those for the same, of which the oldest is the first. */
  number: number;
}

/** The prompts that were begun and not sent: there may be several for the same project or job. */
export class ComposerDrafts {
  /** @param newId a name that no other draft has: letters and digits */
  constructor(
    private readonly drafts: Pick<Drafts, 'list'>,
    private readonly newId: () => string,
  ) {}

  /** Those for the same as a target, the newest first. */
  of(target: ComposerTarget): Promise<PromptDraft[]> {
    return this.list([firstOf(target)]);
  }

  /** Those for any of some targets, the newest first. */
  async list(targets: readonly ComposerTarget[]): Promise<PromptDraft[]> {
    const byName = new Map(targets.map((target) => [composerDraft(target), target]));
    const targetOf = (name: string): ComposerTarget | undefined => {
      const parts = readDraftName(name);
      const first = parts && byName.get(parts.first);
      return first && (parts.draft === undefined ? first : { ...first, draft: parts.draft });
    };
    const found = await this.drafts.list((name) => targetOf(name) !== undefined);
    const counts = new Map<string, number>();
    const numbered = found.reverse().flatMap(({ target: name, text, at }) => {
      const target = targetOf(name);
      const first = readDraftName(name)?.first ?? '';
      const number = (counts.get(first) ?? 0) + 1;
      counts.set(first, number);
      return target === undefined ? [] : [{ target, text, at, number }];
    });
    return numbered.reverse();
  }

  /** A target for the same whose prompt is empty: the first one where that holds no text. */
  async empty(target: ComposerTarget): Promise<ComposerTarget> {
    const first = firstOf(target);
    const drafts = await this.of(first);
    return drafts.some((each) => each.target.draft === undefined) ? { ...first, draft: this.newId() } : first;
  }
}

function firstOf(target: ComposerTarget): ComposerTarget {
  return { ...target, draft: undefined };
}
