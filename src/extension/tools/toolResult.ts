import type { OutgoingPrompt } from '../../jobs/trackedJob';
import { isHeld } from '../../jobs/waiting';
import { MAX_FIELD, boundText } from '../../shared/util/boundText';
import { dropInvisible } from '../../shared/util/invisible';
import type { Job } from '../apiJob';

/** Of all jobs of a list, in UTF-16 units: a model pays for each. */
const MAX_LIST = 60_000;

/**
 * What models are told, in plain sentences and JSON. In English whatever the editor speaks: no person reads it, and models
 * keep to the words that the descriptions of the tools use.
 */

/** After a prompt was handed over. */
export function sentText(job: Job, send: OutgoingPrompt): string {
  return `${outcome(send)}\n${factsText(job)}`;
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
  const lines = fitting(jobs.map(factsText));
  const rest = total - lines.length;
  const more = rest === 0 ? '' : `\n${rest} older ones are not shown; ask with a higher limit or a status.`;
  return `${total} ${total === 1 ? 'job fits' : 'jobs fit'}, newest first:\n${lines.join('\n')}${more}`;
}

/** As many of the first lines as a model is told at once. */
function fitting(lines: readonly string[]): string[] {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > MAX_LIST);
  return lines.slice(0, end === -1 ? undefined : Math.max(1, end));
}

function outcome(send: OutgoingPrompt): string {
  if (isHeld(send)) {
    return 'The prompt was not sent: it is kept in the list, where the user decides about it. Do not send it again by yourself.';
  }
  switch (send.state) {
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
      return `The service tells a state that is not known here: ${JSON.stringify(told(serviceStatus) ?? '')}.`;
  }
}

/** One line of JSON, so that no text of a service passes for one of ours. */
function factsText(job: Job): string {
  const { key, id, status, pending, prLink, title, projectId, service, error, createdAt, updatedAt, followUps } = job;
  // A link that is cut would lead somewhere else.
  const pullRequest = (prLink?.length ?? 0) > MAX_FIELD ? null : prLink;
  const facts = { key, id: told(id), status, pendingFollowUp: pending, pullRequest, title: told(title) };
  const texts = { project: told(projectId), service, error: told(error) };
  return JSON.stringify({ ...facts, ...texts, createdAt, updatedAt, followUps });
}

/** A text of somebody else, bounded, and without what a person would not see in it. */
function told(text: string | undefined): string | undefined {
  return text === undefined ? undefined : dropInvisible(boundText(text, MAX_FIELD));
}
