import type { JSX } from 'preact';
import type { PageModel } from '../model';
import type { DraftDesk } from './draftDesk';
import { FollowUpBox } from './followUpBox';
import { Header } from './header';
import { TimelineSection } from './timeline/timelineSection';

interface JobPageProps {
  model: PageModel;
  desk: DraftDesk;
}

export function JobPage({ model, desk }: JobPageProps): JSX.Element {
  return (
    <main>
      <Header model={model} />
      <TimelineSection timeline={model.timeline} />
      <FollowUpBox model={model.followUp} desk={desk} />
    </main>
  );
}
