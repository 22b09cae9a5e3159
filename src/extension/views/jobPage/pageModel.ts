import * as vscode from 'vscode';
import { LOCAL_SERVICE } from '../../../jobs/events';
import type { JobHistory } from '../../../jobs/jobHistory';
import type { TrackedJob } from '../../../jobs/trackedJob';
import { COMMANDS } from '../../ids';
import { followUpWords } from '../../prompt/whenToSend';
import { jobTitle, projectLabel } from '../../presentation/jobText';
import type { Changes, Fact, FollowUpBox, PageModel, Story } from './model';
import { pageActions } from './pageActions';
import { type StateFacts, asFact, pageState } from './pageState';
import { jobState } from '../../presentation/jobState';
import { pageTimeline } from './pageTimeline';
import { pageWords } from './pageWords';

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
    vscode.l10n.t('Its records are gone, or were made on another machine or in another profile.'),
    vscode.l10n.t('If the service still has the job, “Track Job” brings it back.'),
  ];
  return {
    language: vscode.env.language,
    words: pageWords(),
    title: vscode.l10n.t('Job'),
    state: { text: vscode.l10n.t('This job is not in the list any more'), tone: 'plain', notes },
    facts: [],
    actions: [{ id: COMMANDS.trackJob, label: vscode.l10n.t('Track job by ID'), isPrimary: true }],
    timeline: { from: now, to: now, spans: [], entries: [] },
    followUp: {
      refused: vscode.l10n.t('There is no job to follow up on.'),
      placeholder: '',
      send: vscode.l10n.t('Send'),
    },
  };
}

function pageFacts({ home, snapshot, createdAt }: TrackedJob): Fact[] {
  const isLocal = home.service === LOCAL_SERVICE;
  const known: [string, string | null | undefined, string?][] = [
    [vscode.l10n.t('Pull request'), snapshot?.prLink, COMMANDS.openPullRequest],
    [vscode.l10n.t('Branch'), snapshot?.ref],
    [vscode.l10n.t('Repository'), snapshot?.repository],
    [isLocal ? vscode.l10n.t('Agent') : vscode.l10n.t('Model'), snapshot?.model],
    [vscode.l10n.t('Service'), home.baseUrl],
    [
      vscode.l10n.t('Sent'),
      new Date(createdAt).toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }),
    ],
    [vscode.l10n.t('Job ID'), snapshot?.id, COMMANDS.copyJobId],
  ];
  const project = { label: vscode.l10n.t('Project'), text: projectLabel({ home }) };
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
    return vscode.l10n.t('This job was removed from the list. Bring it back to send a follow-up.');
  }
  if (jobState(job) === 'discarded') {
    return vscode.l10n.t('The prompt of this job was given up, so there is nothing to follow up on.');
  }
  return job.snapshot === undefined
    ? vscode.l10n.t('A follow-up can be sent once the service has accepted the first prompt.')
    : undefined;
}
