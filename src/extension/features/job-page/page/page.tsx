import { type JSX, render } from 'preact';
import type { Fact, FileDiff, PageModel, Story, ToPage } from '../model';
import { ChangesSection } from './changesSection';
import { CheckSection } from './checkSection';
import { DraftBox } from './draftBox';
import { FollowUpBox } from './followUpBox';
import { fill } from '../../../presentation/format';
import { HistorySection } from './historySection';
import { connect, FoldsContext, keepFormat, keepScroll, openFolds, ToolsContext, useTools } from './host';
import { Actions, FoldedText, Icon } from './parts';
import { type StoryScroll, StorySection } from './storySection';

export function Header({ model: { title, state } }: { model: PageModel }): JSX.Element {
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
    </header>
  );
}

/** The agent's own summary of its work. */
function Summary({ story }: { story: Story }): JSX.Element | null {
  const { words, format, post } = useTools();
  const { run = 0, newChanges, isLive } = story;
  const title = run > 1 ? fill(words.summaryOf, format.number(run)) : words.summary;
  return story.summary === undefined || story.summary === '' ? null : (
    <section class="summary" aria-labelledby="summary">
      <h2>
        <span id="summary">{isLive ? words.latest : title}</span>{' '}
        {newChanges === undefined ? null : (
          <button type="button" class="link" onClick={() => post({ type: 'action', id: newChanges })}>
            {words.newChanges}
          </button>
        )}
      </h2>
      <FoldedText text={story.summary} fold="summary" describedBy="summary" />
    </section>
  );
}

/** Everything that is rarely needed. */
function Details({ facts }: { facts: readonly Fact[] }): JSX.Element | null {
  const { words } = useTools();
  return facts.length === 0 ? null : (
    // The dock would hide what was just opened.
    <details onToggle={({ currentTarget }) => currentTarget.open && currentTarget.scrollIntoView({ block: 'nearest' })}>
      <summary>{words.details}</summary>
      <dl class="facts">
        {facts.map((fact) => (
          <FactPair key={fact.label} fact={fact} />
        ))}
      </dl>
    </details>
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

/** See `JobPageProps.parts`. */
const PARTS = 3;

interface JobPageProps {
  model: PageModel;
  diff: readonly FileDiff[];
  draft: DraftBox;
  storyScroll: StoryScroll;
  /** How many parts are shown: the result, the activity, and the rest. */
  parts: number;
}

/** The result first. Where the window is high enough, the dock is at its bottom, and comes last. */
export function JobPage({ model, diff, draft, storyScroll, parts }: JobPageProps): JSX.Element {
  const { story, changes, check } = model;
  return (
    <main>
      <Header model={model} />
      {story === undefined ? null : <Summary story={story} />}
      {changes === undefined ? null : <ChangesSection {...{ changes, diff }} isOfAll={(story?.run ?? 0) > 1} />}
      <CheckSection {...{ check, draft }} />
      <div class="dock">
        <Actions actions={model.actions} />
        <FollowUpBox model={model.followUp} draft={draft} />
      </div>
      {story === undefined || parts < 2 ? null : <StorySection {...{ story, changes }} scroll={storyScroll} />}
      {parts < PARTS ? null : <HistorySection entries={model.history} />}
      {parts < PARTS ? null : <Details facts={model.facts} />}
    </main>
  );
}

const host = connect();
const draft = new DraftBox(host.post);
const folds = openFolds(host.kept.folds, keep);
const scroll = keepScroll(host.kept, keep);
const formatOf = keepFormat();
const root = document.body.appendChild(document.createElement('div'));

let shown: PageModel | undefined;
let diff: readonly FileDiff[] = [];
/** The result comes first. Each further part follows in a separate task, so that no task is long. */
let parts = 1;

host.listen(take);
host.post({ type: 'ready' });

function take(message: ToPage): void {
  switch (message.type) {
    case 'model': {
      const isFirst = shown === undefined;
      shown = message.model;
      show();
      if (isFirst) {
        inNextTask(showNextPart);
      }
      break;
    }
    case 'diff':
      diff = message.files;
      show();
      break;
    case 'draft':
    case 'saved':
    case 'notSaved':
      draft.receive(message);
      break;
  }
}

function show(): void {
  const model = shown;
  if (model === undefined) {
    return;
  }
  document.documentElement.lang = model.language;
  document.title = model.title;
  const tools = { words: model.words, format: formatOf(model.language), post: host.post };
  render(
    <ToolsContext.Provider value={tools}>
      <FoldsContext.Provider value={folds}>
        <JobPage {...{ model, diff, draft, parts }} storyScroll={scroll.story} />
      </FoldsContext.Provider>
    </ToolsContext.Provider>,
    root,
  );
  if (parts === PARTS) {
    scroll.restore();
  }
}

function showNextPart(): void {
  parts += 1;
  show();
  if (parts < PARTS) {
    inNextTask(showNextPart);
  }
}

/** Unlike a timer, this is not slowed down while the page is in the background. */
function inNextTask(work: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = work;
  port2.postMessage(undefined);
}

function keep(): void {
  host.keep({ folds: folds.all(), ...scroll.state() });
}
