import type { JSX } from 'preact';
import type { ResultCheck } from '../model';
import type { DraftBox } from './draftBox';
import { post, useTools } from './host';
import { FOLLOW_UP_FIELD, Icon } from './parts';

interface CheckSectionProps {
  check: ResultCheck | undefined;
  draft: DraftBox;
}

/**
 * What the check of the added lines has found. It ends after the page is shown, so its title is announced to screen
 * readers.
 */
export function CheckSection({ check, draft }: CheckSectionProps): JSX.Element {
  const { words } = useTools();
  const { title = '', findings = [], more, notChecked, request, action } = check ?? {};
  const ask = (text: string): void => {
    draft.add(text);
    document.getElementById(FOLLOW_UP_FIELD)?.focus();
  };
  const act = ({ id, isBusy }: NonNullable<ResultCheck['action']>): void => {
    if (isBusy !== true) {
      post({ type: 'action', id });
    }
  };
  const kinds = [check === undefined ? 'empty' : '', action === undefined ? '' : 'inline'];
  return (
    <section class={`check ${kinds.join(' ')}`} aria-labelledby="check">
      <div aria-live="polite">
        {findings.length === 0 ? (
          <p id="check" class="note">
            {title}
          </p>
        ) : (
          <h2 id="check">
            <Icon sign="warning" tone="warning" /> {title}
          </h2>
        )}
      </div>
      {findings.length === 0 ? null : (
        <ul>
          {findings.map(({ place, text }, index) => (
            <li key={index}>
              <bdi class="place">{place}</bdi> <bdi>{text}</bdi>
            </li>
          ))}
          {more === undefined ? null : <li class="note">{more}</li>}
        </ul>
      )}
      {notChecked === undefined ? null : <p class="note">{notChecked}</p>}
      {action === undefined && request === undefined ? null : (
        // One button for both, so that the focus stays when the second one replaces the first.
        <div class="actions">
          <button
            type="button"
            class="secondary"
            aria-describedby="check"
            aria-disabled={action?.isBusy}
            onClick={action === undefined ? () => ask(request ?? '') : () => act(action)}
          >
            {action?.label ?? words.askToFix}
          </button>
        </div>
      )}
    </section>
  );
}
