import { once } from '../../../base/async';
import type { App } from '../../app';
import type { CommandHandlers } from '../../ids';
import { type JobPages, showJob } from './jobPages';

export interface JobPagesPorts {
  /** Loads the pages, and the activity logs that they show, on first use. */
  jobPages(): Promise<JobPages>;
  /** The key of the job whose page is the active editor. */
  jobOfPage(): string | undefined;
}

export function register(app: App): JobPagesPorts & { commands: CommandHandlers } {
  const { owned, picker } = app;
  let pages: JobPages | undefined;
  const jobPages = once(async () => {
    const { JobPages } = await import('./jobPages');
    pages = owned.add(new JobPages(app));
    return pages;
  });
  return {
    jobPages,
    jobOfPage: () => pages?.activeJob,
    commands: { 'docsAgent.showJob': (argument) => showJob(picker, jobPages, argument) },
  };
}
