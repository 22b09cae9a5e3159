import * as vscode from 'vscode';
import type { JobStore } from '../../jobs/jobStore';
import type { TrackedJob } from '../../jobs/trackedJob';
import type { JobPicker } from '../jobPicker';
import { type GitApi, type GitRepository, GIT_STATUS, gitApi } from '../services/gitExtension';
import { toLabel, toNotice } from '../text';
import { jobTitle } from '../views/jobWords';
import { readJobName } from './arguments';

const { t } = vscode.l10n;

const hasBranch = ({ snapshot }: TrackedJob): boolean => snapshot?.ref != null && snapshot.status !== 'active';

/** Opens what a job has changed in the editor's view of several files, from its branch in an open repository. */
export async function openChanges(
  { store, picker }: { store: JobStore; picker: JobPicker },
  argument: unknown,
): Promise<void> {
  const job = await picker.choose(readJobName(argument), t('Open the changes of which job?'), hasBranch);
  const ref = job?.snapshot?.ref;
  if (job === undefined || ref == null) {
    return;
  }
  const api = await gitApi();
  if (api === undefined) {
    tell(t('The editor’s Git extension is switched off or missing; open the pull request instead.'));
    return;
  }
  const found = await findBranch(api, ref);
  if (found === undefined) {
    tell(t('The branch {0} is in no repository that is open here. Fetch it, or open its folder.', toNotice(ref, 100)));
    return;
  }
  const { repository, branch, commit } = found;
  const base = await repository.getMergeBase('HEAD', branch);
  if (base === undefined || base === commit) {
    tell(t('The branch {0} holds nothing that yours does not: it is merged, perhaps.', toNotice(ref, 100)));
    return;
  }
  const changes = await repository.diffBetween(base, branch);
  const files = changes.map(({ uri, originalUri, status }) => [
    uri,
    status === GIT_STATUS.indexAdded ? undefined : api.toGitUri(originalUri, base),
    status === GIT_STATUS.indexDeleted || status === GIT_STATUS.deleted ? undefined : api.toGitUri(uri, commit),
  ]);
  await vscode.commands.executeCommand('vscode.changes', toLabel(jobTitle(job), 80), files);
  await store.append(job.key, { type: 'seen', at: Date.now() });
}

interface Found {
  repository: GitRepository;
  branch: string;
  commit: string;
}

/** The branch itself, or as it was fetched last. */
async function findBranch(api: GitApi, ref: string): Promise<Found | undefined> {
  for (const repository of api.repositories) {
    for (const branch of [ref, `origin/${ref}`]) {
      const commit = await repository.getBranch(branch).then(
        (known) => known.commit,
        () => undefined,
      );
      if (commit !== undefined) {
        return { repository, branch, commit };
      }
    }
  }
  return undefined;
}

function tell(text: string): void {
  void vscode.window.showInformationMessage(text, t('OK'));
}
