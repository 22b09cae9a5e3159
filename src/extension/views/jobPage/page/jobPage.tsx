import type { JSX } from 'preact';
import type { PageModel } from '../model';
import { ChangesSection } from './changesSection';
import type { DraftDesk } from './draftBox';
import { FollowUpBox } from './followUpBox';
import { Header } from './header';
import { type StoryScroll, StorySection } from './story/storySection';
import { TimelineSection } from './timeline/timelineSection';

interface JobPageProps {
  model: PageModel;
  desk: DraftDesk;
  storyScroll: StoryScroll;
}

export function JobPage({ model, desk, storyScroll }: JobPageProps): JSX.Element {
  const { story, changes } = model;
  return (
    <main>
      <Header model={model} />
      <TimelineSection timeline={model.timeline} />
      {story === undefined ? null : <StorySection {...{ story, changes }} scroll={storyScroll} />}
      {changes === undefined ? null : <ChangesSection changes={changes} />}
      <FollowUpBox model={model.followUp} desk={desk} />
    </main>
  );
}
