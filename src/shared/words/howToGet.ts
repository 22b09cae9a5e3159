import type { FoundAgent } from '../protocol/localService';

/** What is missing of an agent that can't be run: all of it, or only the adapter that speaks with its own program. */
export function lacksAdapter({ title, how }: Pick<FoundAgent, 'title' | 'how'>): boolean {
  return how.startsWith(`${title} is installed (`);
}

/** How to get an agent that is missing, without the sentence that it is. */
export function howToGet({ how }: Pick<FoundAgent, 'how'>): string {
  return /” (?:is not|was not found)\. (.*)$/s.exec(how)?.[1] ?? how;
}
