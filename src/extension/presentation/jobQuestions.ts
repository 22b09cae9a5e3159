import * as vscode from 'vscode';

/** When a command that was given no job asks for one. */
type Asks =
  /** Unless there is only one: the command changes nothing before the user sees which job it is about. */
  | 'several'
  /** Unless it applies to the job in the active editor. */
  | 'notActive'
  /** A prompt from a program or a key binding must not go to whichever job is open. */
  | 'always';

/** How the user is asked for the job of a command. */
export interface JobQuestion {
  title: string;
  /** Why there is no job to choose. */
  none: string;
  asks: Asks;
}

/** The question of each command that needs a job. */
export const JOB_QUESTIONS = {
  show: () => ({
    title: vscode.l10n.t('Select a job to show'),
    none: vscode.l10n.t('There is no other job to show.'),
    asks: 'several',
  }),
  followUp: () => ({
    title: vscode.l10n.t('Select a job to follow up on'),
    none: vscode.l10n.t('No job can take a follow-up.'),
    asks: 'several',
  }),
  sendPrompt: () => ({
    title: vscode.l10n.t('Select a job to follow up on'),
    none: vscode.l10n.t('No job can take a follow-up.'),
    asks: 'always',
  }),
  reviewChanges: () => ({
    title: vscode.l10n.t('Select a job to open its changes'),
    none: vscode.l10n.t('No finished job has changes.'),
    asks: 'several',
  }),
  reviewNewChanges: () => ({
    title: vscode.l10n.t('Select a job to show what its last follow-up changed'),
    none: vscode.l10n.t('No finished job has a follow-up.'),
    asks: 'several',
  }),
  openPullRequest: () => ({
    title: vscode.l10n.t('Select a pull request to open'),
    none: vscode.l10n.t('No job has a pull request.'),
    asks: 'several',
  }),
  openInEditor: () => ({
    title: vscode.l10n.t('Select a pull request to open in the editor'),
    none: vscode.l10n.t('No job has a pull request.'),
    asks: 'several',
  }),
  openPreview: () => ({
    title: vscode.l10n.t('Select a job to preview'),
    none: vscode.l10n.t('No hosted job has a branch to preview.'),
    asks: 'several',
  }),
  addressComments: () => ({
    title: vscode.l10n.t('Select a job to address its review comments'),
    none: vscode.l10n.t('No job that can take a follow-up has a pull request on GitHub.'),
    asks: 'several',
  }),
  submitComments: () => ({
    title: vscode.l10n.t('Select a job to send its review comments'),
    none: vscode.l10n.t('There are no unsent comments. Open a job’s changes, then select + next to a line.'),
    asks: 'several',
  }),
  checkOut: () => ({
    title: vscode.l10n.t('Select a job to check out its branch'),
    none: vscode.l10n.t('No finished job has a branch.'),
    asks: 'notActive',
  }),
  applyChanges: () => ({
    title: vscode.l10n.t('Select a job to apply its changes'),
    none: vscode.l10n.t('No local job has changes to apply.'),
    asks: 'notActive',
  }),
  finish: () => ({
    title: vscode.l10n.t('Select a job to merge, close, or archive'),
    none: vscode.l10n.t('No local job has finished.'),
    asks: 'several',
  }),
  merge: () => ({
    title: vscode.l10n.t('Select a job to merge'),
    none: vscode.l10n.t('No local job has changes to merge.'),
    asks: 'notActive',
  }),
  undoMerge: () => ({
    title: vscode.l10n.t('Select a job to undo its merge'),
    none: vscode.l10n.t('No local jobs have been merged.'),
    asks: 'notActive',
  }),
  close: () => ({
    title: vscode.l10n.t('Select a job to close'),
    none: vscode.l10n.t('No local job has open changes.'),
    asks: 'notActive',
  }),
  reopen: () => ({
    title: vscode.l10n.t('Select a job to reopen'),
    none: vscode.l10n.t('No local jobs have been closed.'),
    asks: 'notActive',
  }),
  stop: () => ({
    title: vscode.l10n.t('Select a job to stop'),
    none: vscode.l10n.t('No local job is running.'),
    asks: 'notActive',
  }),
  archive: () => ({
    title: vscode.l10n.t('Select a job to archive'),
    none: vscode.l10n.t('No local job has finished.'),
    asks: 'notActive',
  }),
  retry: () => ({
    title: vscode.l10n.t('Select a failed or stopped job to try again'),
    none: vscode.l10n.t('There are no failed or stopped jobs.'),
    asks: 'notActive',
  }),
  duplicate: () => ({
    title: vscode.l10n.t('Select a job to duplicate'),
    none: vscode.l10n.t('There are no jobs whose prompt is saved here.'),
    asks: 'several',
  }),
  rename: () => ({
    title: vscode.l10n.t('Select a job to rename'),
    none: vscode.l10n.t('There are no jobs yet.'),
    asks: 'several',
  }),
  pin: () => ({
    title: vscode.l10n.t('Select a job to pin or unpin'),
    none: vscode.l10n.t('There are no jobs yet.'),
    asks: 'notActive',
  }),
  remove: () => ({
    title: vscode.l10n.t('Select a job to remove'),
    none: vscode.l10n.t('There are no jobs yet.'),
    asks: 'notActive',
  }),
  restore: () => ({
    title: vscode.l10n.t('Select a job to restore'),
    none: vscode.l10n.t('No jobs have been removed from the list.'),
    asks: 'notActive',
  }),
  copy: () => ({
    title: vscode.l10n.t('Select a job to copy'),
    none: vscode.l10n.t('There are no jobs yet.'),
    asks: 'several',
  }),
  copyLink: () => ({
    title: vscode.l10n.t('Select a pull request to copy its link'),
    none: vscode.l10n.t('No job has a pull request.'),
    asks: 'several',
  }),
  copyId: () => ({
    title: vscode.l10n.t('Select a job to copy its ID'),
    none: vscode.l10n.t('The service hasn’t accepted any jobs yet.'),
    asks: 'several',
  }),
  findUnconfirmed: () => ({
    title: vscode.l10n.t('Select an unconfirmed job'),
    none: vscode.l10n.t('There are no unconfirmed jobs.'),
    asks: 'several',
  }),
} satisfies Record<string, () => JobQuestion>;

export type JobQuestionName = keyof typeof JOB_QUESTIONS;
