import { PLAIN_DIFF, diffSummary } from '../../../git/diffSummary';
import { BUDGETS } from '../../../prompt/budgets';
import type { Changes } from '../../../prompt/changes/changesText';
import { PatchReader } from '../../../prompt/changes/patchReader';
import { planPatches } from '../../../prompt/changes/planPatches';
import type { ChangeRepository, ChangeSource } from './changeSource';
import { untrackedFiles, untrackedPatch } from './untracked';

/** `--unified` asks for the patch by itself: the summary would be all of it. */
const PATCH = ['--patch', '--unified=3', '--inter-hunk-context=0', '--src-prefix=a/', '--dst-prefix=b/'];

/** Reads what was changed: a summary of all of it, and of the text as much as fits. Throws GitError, or the signal's reason. */
export async function readChanges(
  repository: ChangeRepository,
  source: ChangeSource,
  budget: number = BUDGETS.changes,
): Promise<Changes> {
  const { files: summarized, more } = await diffSummary(repository, source.args);
  const files = summarized.map((file) => (file.added === null ? { ...file, hidden: 'binary' } : file));
  const untracked = source.withUntracked ? await untrackedFiles(repository) : [];
  const all = [...files, ...untracked];
  const chosen = planPatches(all, budget);
  const reader = new PatchReader(chosen, budget);
  const tracked = chosen.filter(({ status }) => status !== '?');
  if (tracked.length > 0) {
    const paths = tracked.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
    const args = [...PLAIN_DIFF, ...PATCH, ...source.args, '--', ...paths];
    for await (const bytes of repository.git.stream(repository.place, args, repository.signal)) {
      if (!reader.push(bytes)) {
        // Ends git, too.
        break;
      }
    }
    reader.end();
  }
  for (const file of chosen.filter(({ status }) => status === '?')) {
    repository.signal.throwIfAborted();
    const patch = await untrackedPatch(repository.place.folder, file);
    if (patch !== undefined) {
      reader.push(patch);
      reader.end();
    }
  }
  return { files: all, more, patches: reader.read };
}
