import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import { routes } from '../../../shared/protocol/routes';
import type { LocalService } from '../../services/localService';
import type { ComposerTarget } from '../composer/composerTarget';
import type { TargetFacts } from '../composer/targetFacts';

/** The address that a prompt is posted to, as far as it can be told before. */
export type RequestAddress = (target: ComposerTarget) => Promise<string>;

/** The local service has a port only while it runs; what has none yet is told in words. */
export function requestAddress(facts: TargetFacts, local: Pick<LocalService, 'find'>): RequestAddress {
  return async (target) => {
    const home = facts.homeOf(target, true);
    const jobId = facts.jobOf(target)?.snapshot?.id;
    if (home === undefined || (target.kind === 'followUp' && jobId === undefined)) {
      return vscode.l10n.t('(nowhere: the job or the service can’t be told)');
    }
    const base = home.service === LOCAL_SERVICE ? (await local.find())?.baseUrl : home.baseUrl;
    const route = jobId === undefined ? routes.jobs(home.projectId) : routes.messages(home.projectId, jobId);
    return (base ?? vscode.l10n.t('(local service, started by then) ')) + route;
  };
}
