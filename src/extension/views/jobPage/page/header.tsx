import type { JSX } from 'preact';
import type { Fact, PageModel } from '../model';
import { useTools } from './context';
import { Actions, Icon } from './parts';

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
