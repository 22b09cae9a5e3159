import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { JobHistory } from '../../../jobs/jobHistory';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { COMMANDS } from '../../ids';
import { followUpWords } from '../../prompt/whenToSend';
import { jobTitle, projectLabel } from '../jobWords';
import type { Changes, Fact, FollowUpBox, PageModel, Story } from './model';
import { pageActions } from './pageActions';
import { type StateFacts, asFact, isGivenUp, pageState } from './pageState';
import { pageTimeline } from './pageTimeline';
import { pageWords } from './pageWords';

const { t } = vscode.l10n;

/** All that a page shows is made of. */
export interface PageFacts extends StateFacts {
  history: JobHistory;
  story?: Story | undefined;
  changes?: Changes | undefined;
}

export function pageModel(facts: PageFacts): PageModel {
  const { job, history, story, changes } = facts;
  return {
    language: vscode.env.language,
    words: pageWords(),
    title: jobTitle(job),
    state: pageState(facts),
    facts: pageFacts(job),
    actions: pageActions(job),
    timeline: pageTimeline(job, history),
    ...(story === undefined ? {} : { story }),
    ...(changes === undefined ? {} : { changes }),
    followUp: followUpBox(job),
  };
}

/** The page of a job of which there is no record. */
export function missingModel(now: number): PageModel {
  const notes = [
    t('Its records are gone, or were made on another machine or in another profile.'),
    t('If the service still has the job, “Track Job” brings it back.'),
  ];
  return {
    language: vscode.env.language,
    words: pageWords(),
    title: t('Job'),
    state: { text: t('This job is not in the list any more'), tone: 'plain', notes },
    facts: [],
    actions: [{ id: COMMANDS.trackJob, label: t('Track job by ID'), isPrimary: true }],
    timeline: { from: now, to: now, spans: [], entries: [] },
    followUp: { refused: t('There is no job to follow up on.'), placeholder: '', send: t('Send') },
  };
}

function pageFacts({ home, snapshot, createdAt }: TrackedJob): Fact[] {
  const isLocal = home.service === LOCAL_SERVICE;
  const known: [string, string | null | undefined, string?][] = [
    [t('Pull request'), snapshot?.prLink, COMMANDS.openPullRequest],
    [t('Branch'), snapshot?.ref],
    [t('Repository'), snapshot?.repository],
    [isLocal ? t('Agent') : t('Model'), snapshot?.model],
    [t('Service'), home.baseUrl],
    [t('Sent'), new Date(createdAt).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' })],
    [t('Job ID'), snapshot?.id, COMMANDS.copyJobId],
  ];
  const project = { label: t('Project'), text: projectLabel({ home }) };
  const others = known
    .map(([label, text, action]) => ({ label, text: asFact(text ?? ''), ...(action === undefined ? {} : { action }) }))
    .filter(({ text }) => text !== '');
  return [project, ...others];
}

/** What a send does in this state, or why none is possible. */
function followUpBox(job: TrackedJob): FollowUpBox {
  const refused = refusal(job);
  const { effect, send, sendLater } = followUpWords(job);
  return refused === undefined
    ? { placeholder: effect, send, ...(sendLater === undefined ? {} : { sendLater }) }
    : { refused, placeholder: '', send };
}

function refusal(job: TrackedJob): string | undefined {
  if (job.untracked) {
    return t('This job was removed from the list. Bring it back to send a follow-up.');
  }
  if (isGivenUp(job)) {
    return t('The prompt of this job was given up, so there is nothing to follow up on.');
  }
  return job.snapshot === undefined
    ? t('A follow-up can be sent once the service has accepted the first prompt.')
    : undefined;
}
