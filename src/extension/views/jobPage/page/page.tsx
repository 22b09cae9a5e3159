import { render } from 'preact';
import type { PageModel, ToPage } from '../model';
import { FoldsContext, ToolsContext, keepFormat, openFolds } from './context';
import { openDraftDesk } from './draftBox';
import { connect, keepScroll } from './host';
import { JobPage } from './jobPage';

const host = connect();
const desk = openDraftDesk(host.post);
const folds = openFolds(host.kept.folds, keep);
const scroll = keepScroll(host.kept, keep);
const formatOf = keepFormat();
const root = document.body.appendChild(document.createElement('div'));

host.listen(take);
for (const [target, name] of [
  [window, 'pagehide'],
  [document, 'visibilitychange'],
] as const) {
  target.addEventListener(name, () => desk.flush());
}
host.post({ type: 'ready' });

function take(message: ToPage): void {
  switch (message.type) {
    case 'model':
      show(message.model);
      break;
    case 'draft':
    case 'kept':
    case 'notKept':
      desk.take(message);
      break;
  }
}

function show(model: PageModel): void {
  document.documentElement.lang = model.language;
  document.title = model.title;
  const tools = { words: model.words, format: formatOf(model.language), post: host.post };
  render(
    <ToolsContext.Provider value={tools}>
      <FoldsContext.Provider value={folds}>
        <JobPage model={model} desk={desk} storyScroll={scroll.story} />
      </FoldsContext.Provider>
    </ToolsContext.Provider>,
    root,
  );
  scroll.restore();
}

function keep(): void {
  host.keep({ folds: folds.all(), ...scroll.state() });
}
