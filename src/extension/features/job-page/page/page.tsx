import { type JSX, render } from 'preact';
import type { Fact, PageModel, ToPage } from '../model';
import { ChangesSection } from './changesSection';
import { type DraftController, createDraftController } from './draftBox';
import { FollowUpBox } from './followUpBox';
import { connect, FoldsContext, keepFormat, keepScroll, openFolds, ToolsContext, useTools } from './host';
import { Actions, Icon } from './parts';
import { type StoryScroll, StorySection } from './storySection';
import { TimelineSection } from './timelineSection';

export function Header({ model: { title, state, facts, actions } }: { model: PageModel }): JSX.Element {
  return (
    <header>
      <h1 dir="auto">{title}</h1>
      <p class={`state tone-${state.tone}`} role="status">
        <Icon sign={state.tone} />
        <span>{state.text}</span>
      </p>
      {state.notes.map((note) => (
        <p key={note} class="note" dir="auto">
          {note}
        </p>
      ))}
      {facts.length === 0 ? null : (
        <dl class="facts">
          {facts.map((fact) => (
            <FactPair key={fact.label} fact={fact} />
          ))}
        </dl>
      )}
      <Actions actions={actions} />
    </header>
  );
}

function FactPair({ fact: { label, text, action } }: { fact: Fact }): JSX.Element {
  const { post } = useTools();
  return (
    <div>
      <dt>{label}</dt>
      <dd dir="auto">
        {action === undefined ? (
          text
        ) : (
          <button type="button" class="link" onClick={() => post({ type: 'action', id: action })}>
            {text}
          </button>
        )}
      </dd>
    </div>
  );
}

interface JobPageProps {
  model: PageModel;
  desk: DraftController;
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

const host = connect();
const desk = createDraftController(host.post);
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
