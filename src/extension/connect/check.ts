import * as vscode from 'vscode';
import type { Home } from '../../jobs/events';
import type { JobStore } from '../../jobs/jobStore';
import { ServiceError } from '../../shared/protocol/serviceError';
import { knownJob } from '../commands/apiKey';
import { reasonText } from '../services/errorText';
import type { Proof, ServiceAccess } from '../services/serviceAccess';
import { type Facts, type Flow, type Problem, hostedOf, keyOf, projectOf } from './flow';

/** Asks the hosted service of a draft for a job, which is free of charge and can create nothing. */
export async function checkHosted(
  { access, store }: { access: ServiceAccess; store: JobStore },
  { draft }: Flow,
  facts: Facts,
): Promise<{ proof: Proof } | { problem: Problem }> {
  const hosted = hostedOf(draft, facts);
  if (hosted === undefined) {
    return { problem: { step: 'address', text: '' } };
  }
  const home: Home = { service: hosted.origin, baseUrl: hosted.baseUrl, projectId: projectOf(draft, facts) };
  try {
    const jobId = knownJob(store.jobs, home)?.snapshot?.id;
    return { proof: await access.check(home, { key: keyOf(draft, facts), jobId }) };
  } catch (error) {
    const known =
      error instanceof ServiceError ? error : new ServiceError('notUnderstood', { effect: 'none', cause: error });
    return { problem: problemOf(known) };
  }
}

/** The step that can most likely mend it. */
function problemOf(error: ServiceError): Problem {
  switch (error.kind) {
    case 'unauthorized':
      return {
        step: 'key',
        text: vscode.l10n.t(
          'The service rejected this key: it is wrong or has expired. Paste another one, or go back.',
        ),
      };
    case 'forbidden':
    case 'limit':
      return { step: 'key', text: retryText(error), canKeep: true };
    case 'rejected':
    case 'notFound':
      return { step: 'project', text: retryText(error), canKeep: true };
    case 'unreachable':
    case 'timeout':
    case 'notUnderstood':
    case 'aborted':
      return { step: 'address', text: retryText(error), canKeep: true };
  }
}

function retryText(error: ServiceError): string {
  return vscode.l10n.t(
    '{0} Press Enter to try again, or keep this without a check by the button above.',
    reasonText(error),
  );
}
