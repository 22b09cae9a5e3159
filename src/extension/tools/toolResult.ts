import type { RunWait } from '../../jobs/afterRun';
import { type Send, waitsToGo } from '../../jobs/trackedJob';
import type { Job } from '../apiJob';

/**
 * What models are told, in plain sentences and JSON. In English whatever the editor speaks: no person reads it, and models
 * keep to the words that the descriptions of the tools use.
 */

/**
 * After a prompt was handed over.
 *
 * @param wait why it does not go now, where that is for the sake of a run
 */
export function sentText(job: Job, send: Send, wait?: RunWait): string {
  return `${outcome(send, wait)}\n${factsText(job)}`;
}

/** What is known of one job. */
export function jobText(job: Job): string {
  return `${stateText(job)}\n${factsText(job)}`;
}

/** The newest jobs, and how many more there are. */
export function listText(jobs: readonly Job[], total: number): string {
  if (total === 0) {
    return 'No job in the list fits.';
  }
  const rest = total - jobs.length;
  const more = rest === 0 ? '' : `\n${rest} older ones are not shown; ask with a higher limit or a status.`;
  return `${total} ${total === 1 ? 'job fits' : 'jobs fit'}, newest first:\n${jobs.map(factsText).join('\n')}${more}`;
}

function outcome(send: Send, wait: RunWait | undefined): string {
  if (wait === 'held' || wait === 'unsure') {
    return 'The prompt was not sent: it is kept in the list, where the user decides about it. Do not send it again by yourself.';
  }
  switch (waitsToGo(send) ? 'waiting' : send.state) {
    case 'created':
      return send.kind === 'followUp'
        ? 'The follow-up was accepted. The agent works on it in the background, in the same pull request.'
        : 'The job was accepted. The agent works on it in the background, for minutes as a rule, and the user is told when it ends. There is no need to wait for it.';
    case 'rejected':
      return 'The service did not accept the prompt. It is kept in the list, where the user sees why and can change it and send it. Do not send it again by yourself.';
    case 'unconfirmed':
      return 'No answer came: the service may have accepted the prompt. Do not send it again; the user looks for it and decides.';
    case 'discarded':
      return 'The prompt was not sent as it was: the user gave it up or changed it meanwhile. Do not send it again by yourself.';
    default:
      return 'The prompt is kept and is sent by itself as soon as that works. Do not send it again.';
  }
}

function stateText({ status, prLink, serviceStatus }: Job): string {
  switch (status) {
    case 'sending':
    case 'waiting':
      return 'The prompt has not reached the service yet; it is sent by itself.';
    case 'rejected':
      return 'The service did not accept the prompt; it waits in the list for the user.';
    case 'unconfirmed':
      return 'The service may have accepted the prompt; no answer came.';
    case 'active':
      return 'The agent is working on it.';
    case 'completed':
      return prLink === null ? 'It is finished, without a pull request.' : 'It is finished: there is a pull request.';
    case 'failed':
      return 'It failed.';
    case 'archived':
      return 'It was archived.';
    case 'unknown':
      return `The service tells a state that is not known here: ${JSON.stringify(serviceStatus ?? '')}.`;
  }
}

/** One line of JSON, so that no text of a service passes for one of ours. */
function factsText(job: Job): string {
  const { key, id, status, pending, prLink, title, projectId, service, error, createdAt, updatedAt, followUps } = job;
  const facts = { key, id, status, pendingFollowUp: pending, pullRequest: prLink, title, project: projectId };
  return JSON.stringify({ ...facts, service, error, createdAt, updatedAt, followUps });
}
