import { type Changes, changesText } from '../../../prompt/changesText';
import { codeSpan, type ContextBlock } from '../../../prompt/contextBlock';
import { count } from '../../../prompt/budgets';
import { NO_REMOTE, notVisible, permalink } from '../../../prompt/permalink';
import { isPushed, type RepositoryFacts } from '../visibility/placeNotes';
import type { ChangeRepository } from '../../../git/git';
import type { ChangeSource } from './changeSource';

/** What is known of a change beside its text. */
export interface ChangeFacts {
  /** The repository's folder. */
  name: string;
  repository: RepositoryFacts;
  /** Whether a hosted agent can find the commits that the change is between. */
  isBasePushed: boolean;
  isHeadPushed: boolean;
  /** The agent is the local service's, which sees what is committed. */
  isLocal: boolean;
  /** Open files of the change that hold more than is on the disk. */
  unsaved: number;
}

/** A change as a block of a prompt. */
export function changesBlock(source: ChangeSource, changes: Changes, facts: ChangeFacts): ContextBlock {
  return {
    heading: heading(source, facts),
    notes: notes(source, facts),
    languageId: 'diff',
    text: changesText(changes),
  };
}

/** Which of the commits the remote has. Throws GitError. */
export async function pushedEnds(
  repository: ChangeRepository,
  { base, head }: ChangeSource,
  { remoteName }: RepositoryFacts,
): Promise<Pick<ChangeFacts, 'isBasePushed' | 'isHeadPushed'>> {
  const seen = async (commit: string | undefined): Promise<boolean> =>
    commit !== undefined && remoteName !== undefined && isPushed(repository, commit, remoteName);
  const [isBasePushed, isHeadPushed] = await Promise.all([seen(base), seen(head)]);
  return { isBasePushed, isHeadPushed };
}

function heading(
  { kind, base, head, baseName = '', isMerge }: ChangeSource,
  { name, repository: { branch } }: ChangeFacts,
): string {
  const repository = codeSpan(name);
  const short = (commit: string | undefined): string => codeSpan((commit ?? '').slice(0, 12));
  switch (kind) {
    case 'workingTree':
      return `Changes in the working tree of ${repository} that are not committed`;
    case 'staged':
      return `Changes of ${repository} that are staged for the next commit`;
    case 'branch':
      return `Changes of ${branch === undefined ? short(head) : `branch ${codeSpan(branch)}`} of ${repository} since it left ${codeSpan(baseName)}`;
    case 'commit':
      return isMerge === true
        ? `What the merge ${short(head)} brought into ${repository}`
        : `Changes of ${repository} from ${base === undefined ? 'its beginning' : short(base)} to ${short(head)}`;
  }
}

function notes(source: ChangeSource, facts: ChangeFacts): string[] {
  const { base, head } = source;
  const { remote } = facts.repository;
  const told: string[] = [];
  if (remote !== undefined && head !== undefined && facts.isHeadPushed) {
    told.push(`Permalink: ${permalink({ ...remote, commit: head })}`);
  }
  if (remote !== undefined && base !== undefined && facts.isBasePushed) {
    told.push(`Compared with ${permalink({ ...remote, commit: base })}`);
  }
  told.push(...unseen(source, facts));
  if (facts.unsaved > 0) {
    told.push(`${count(facts.unsaved, 'open file has', 'open files have')} unsaved changes that are not in this`);
  }
  return told;
}

function unseen({ head }: ChangeSource, { isLocal, isHeadPushed, repository }: ChangeFacts): string[] {
  if (head === undefined) {
    return [notVisible(isLocal, 'uncommitted changes')];
  }
  if (isLocal || isHeadPushed) {
    return [];
  }
  return [repository.remote === undefined ? NO_REMOTE : notVisible(false, 'commits that are not pushed')];
}
