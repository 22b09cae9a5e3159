import * as vscode from 'vscode';
import type { JobPicker } from '../jobPicker';
import type { JobPages } from '../views/jobPage/jobPages';
import { wantsPreview, readJobNames } from './arguments';

/** Opens the page of a job; of each where several rows are selected. */
export async function showJob(picker: JobPicker, pages: () => Promise<JobPages>, argument: unknown): Promise<void> {
  const jobs = await picker.chooseSome(readJobNames(argument), vscode.l10n.t('Show which job?'), () => true);
  for (const job of jobs) {
    (await pages()).show(job, wantsPreview(argument));
  }
}
