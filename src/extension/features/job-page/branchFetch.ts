import * as vscode from 'vscode';
import { type BranchToFetch, gitErrorText } from '../../platform/branchToFetch';
import { toLabel } from '../../platform/sanitize';
import type { ResultCheck } from './model';
import { PAGE_ACTIONS } from './pageActions';

type FetchState = 'offered' | 'fetching' | { failure: string };

/** Offers on the page of a job to fetch its branch, and shows how that goes. Fetches only when the user asks. */
export class BranchFetch {
  private branch: BranchToFetch | undefined;
  private state: FetchState = 'offered';

  /** Shown in place of the check's result; undefined if there is nothing to fetch. */
  get model(): ResultCheck | undefined {
    const { branch, state } = this;
    return branch && { title: titleOf(branch, state), findings: [], action: fetchAction(state === 'fetching') };
  }

  /** A branch that is being fetched is not replaced. */
  offer(branch: BranchToFetch | undefined): void {
    if (this.state !== 'fetching') {
      this.branch = branch;
      this.state = 'offered';
    }
  }

  /** Fetches the branch that is offered. Returns whether it was fetched. */
  async run(onChange: () => void, onError: (error: unknown) => void): Promise<boolean> {
    const { branch, state } = this;
    if (branch === undefined || state === 'fetching') {
      return false;
    }
    this.state = 'fetching';
    onChange();
    try {
      await branch.fetch();
      this.branch = undefined;
      this.state = 'offered';
      return true;
    } catch (error) {
      onError(error);
      this.state = { failure: gitErrorText(error) };
      onChange();
      return false;
    }
  }
}

function titleOf({ isThere, ...branch }: BranchToFetch, state: FetchState): string {
  const [ref, remote, folder] = [toLabel(branch.ref, 100), toLabel(branch.remote, 60), toLabel(branch.folder, 60)];
  if (state === 'fetching') {
    return vscode.l10n.t('Fetching branch {0}…', ref);
  }
  if (state !== 'offered') {
    return vscode.l10n.t('Couldn’t fetch branch {0} from {1}: {2}.', ref, remote, state.failure);
  }
  return isThere
    ? vscode.l10n.t('Branch {0} may have newer commits that aren’t in {1} yet.', ref, folder)
    : vscode.l10n.t('Branch {0} isn’t in {1} yet.', ref, folder);
}

function fetchAction(isBusy: boolean): ResultCheck['action'] {
  const action = { id: PAGE_ACTIONS.fetchAndCheck, label: vscode.l10n.t('Fetch and Check') };
  return isBusy ? { ...action, isBusy } : action;
}

/** What the page shows while the check that the user has asked for is running. */
export function checkingModel(): ResultCheck {
  return { title: vscode.l10n.t('Checking the added lines…'), findings: [], action: fetchAction(true) };
}

/** What the page says to a user who has asked for the check, if there is no result. */
export function uncheckedModel(hasFailed: boolean): ResultCheck {
  const title = hasFailed
    ? vscode.l10n.t('The added lines couldn’t be checked. The log says why.')
    : vscode.l10n.t('Nothing to check: the branch adds no lines to documentation pages.');
  return { title, findings: [] };
}
