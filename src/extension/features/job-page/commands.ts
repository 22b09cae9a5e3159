import { once } from '../../../base/async';
import { type Disposable, DisposableStore } from '../../../base/disposable';
import type { CommandHandlers } from '../../ids';
import type { JobPicker } from '../../presentation/jobPicker';
import type { AgentActivityFeedOptions } from './agentActivityFeed';
import type { JobPageOptions } from './jobPage';
import { type JobPages, showJob } from './jobPages';

/** Loads the pages, and the activity logs that they show, on first use. */
export interface LazyJobPages extends Disposable {
  load(): Promise<JobPages>;
  /** The key of the job whose page is the active editor. */
  activeJob(): string | undefined;
}

export function startJobPages(options: AgentActivityFeedOptions & Omit<JobPageOptions, 'story'>): LazyJobPages {
  const owned = new DisposableStore();
  let pages: JobPages | undefined;
  const load = once(async () => {
    const { AgentActivityFeed } = await import('./agentActivityFeed');
    const { JobPages } = await import('./jobPages');
    pages = owned.add(new JobPages({ ...options, story: owned.add(new AgentActivityFeed(options)) }));
    return pages;
  });
  return { load, activeJob: () => pages?.activeJob, dispose: () => owned.dispose() };
}

export function jobPageCommands({ picker, pages }: { picker: JobPicker; pages: LazyJobPages }): CommandHandlers {
  return { 'docsAgent.showJob': (argument) => showJob(picker, () => pages.load(), argument) };
}
