import { type JSX, render } from 'preact';
import type { Activity, Fact, FileDiff, PageModel, ToPage } from '../model';
import { ActivitySection } from './activitySection';
import { ChangesSection } from './changesSection';
import { CheckSection } from './checkSection';
import { DraftBox } from './draftBox';
import { FollowUpBox } from './followUpBox';
import { fill, formatOf } from '../../../presentation/format';
import { HistorySection } from './historySection';
import { post, save, saved, ToolsContext, useTools } from './host';
import { Actions, FoldedText, Icon } from './parts';

function Header({ model: { title, state } }: { model: PageModel }): JSX.Element {
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
function Summary({ activity }: { activity: Activity }): JSX.Element | null {
  const { words, format } = useTools();
  const { run, newChanges, isLive, summary } = activity;
  const title = run > 1 ? fill(words.summaryOf, format.number(run)) : words.summary;
  return summary === undefined ? null : (
    <section class="summary" aria-labelledby="summary">
      <h2>
        <span id="summary">{isLive ? words.latest : title}</span>{' '}
        {newChanges === undefined ? null : (
          <button type="button" class="link" onClick={() => post({ type: 'action', id: newChanges })}>
            {words.newChanges}
          </button>
        )}
      </h2>
      <FoldedText text={summary.text} fold="summary" describedBy="summary" />
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
  diff: readonly FileDiff[];
  draft: DraftBox;
}

/** The result first. Where the window is high enough, the dock is at its bottom, and comes last. */
function JobPage({ model, diff, draft }: JobPageProps): JSX.Element {
  const { activity, changes, check } = model;
  return (
    <main>
      <Header model={model} />
      {activity === undefined ? null : <Summary activity={activity} />}
      {changes === undefined ? null : <ChangesSection {...{ changes, diff }} isOfAll={(activity?.run ?? 0) > 1} />}
      <CheckSection {...{ check, draft }} />
      <div class="dock">
        <Actions actions={model.actions} />
        <FollowUpBox model={model.followUp} draft={draft} />
      </div>
      {activity === undefined ? null : <ActivitySection {...{ activity, changes }} />}
      <HistorySection entries={model.history} />
      <Details facts={model.facts} />
    </main>
  );
}

const draft = new DraftBox(post);
const root = document.body.appendChild(document.createElement('div'));
const format = formatOf(document.documentElement.lang);

let shown: PageModel | undefined;
let diff: readonly FileDiff[] = [];

window.addEventListener('message', ({ data }) => receive(data as ToPage));
window.addEventListener('scroll', () => save({ scroll: Math.round(window.scrollY) }), { passive: true });
post({ type: 'ready' });

function receive(message: ToPage): void {
  switch (message.type) {
    case 'model': {
      const isFirst = shown === undefined;
      shown = message.model;
      show(shown);
      if (isFirst) {
        window.scrollTo(0, saved.scroll);
      }
      break;
    }
    case 'diff':
      diff = message.files;
      if (shown !== undefined) {
        show(shown);
      }
      break;
    case 'draft':
    case 'saved':
    case 'notSaved':
      draft.receive(message);
  }
}

function show(model: PageModel): void {
  document.title = model.title;
  render(
    <ToolsContext.Provider value={{ words: model.words, format }}>
      <JobPage {...{ model, diff, draft }} />
    </ToolsContext.Provider>,
    root,
  );
}
