import type { JSX } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { isBlank } from '../../../../base/text';
import type { SendTime } from '../../../platform/sendTime';
import type { FollowUpBox as Model } from '../model';
import type { DraftBox } from './draftBox';
import { useTools } from './host';
import { FOLLOW_UP_FIELD, Icon } from './parts';

interface FollowUpBoxProps {
  model: Model;
  draft: DraftBox;
}

export function FollowUpBox({ model, draft }: FollowUpBoxProps): JSX.Element {
  const { words } = useTools();
  const field = useRef<HTMLTextAreaElement>(null);
  const [, draw] = useReducer((count: number) => count + 1, 0);
  // Subscribe before anything else can happen, so that a message right after the first model is not missed.
  useLayoutEffect(() => draft.onChange(() => draw(undefined)), [draft]);
  const { text, problem } = draft;
  const isSending = draft.sending !== undefined;
  const isStopped = isSending || model.refused !== undefined;
  const send = (when?: SendTime): void => {
    if (model.refused !== undefined) {
      return;
    }
    if (isBlank(draft.text)) {
      draft.type(draft.text, words.emptyPrompt);
      field.current?.focus();
      return;
    }
    draft.send(when);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // During IME composition, Enter belongs to the input method.
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.isComposing) {
      event.preventDefault();
      if (!event.repeat) {
        // The keyboard shortcut does not say whether to interrupt a run, so the extension asks.
        send();
      }
    }
  };
  const now = model.sendLater === undefined ? undefined : 'now';
  const status = isSending ? words.sending : (problem ?? model.refused ?? '');
  return (
    <section class="followUp" aria-labelledby="followUp">
      <h2 id="followUp">
        <label for={FOLLOW_UP_FIELD}>{words.followUp}</label>
      </h2>
      <div id="effects">
        {model.effects.map((effect) => (
          <p key={effect} class="note" dir="auto">
            {effect}
          </p>
        ))}
      </div>
      <textarea
        id={FOLLOW_UP_FIELD}
        ref={field}
        rows={2}
        dir="auto"
        value={text}
        placeholder={model.placeholder}
        aria-describedby="status effects"
        aria-invalid={problem !== undefined}
        onInput={(event) => draft.type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="send">
        <p id="status" role="status" dir="auto">
          {problem === undefined || isSending ? null : <Icon sign="bad" tone="bad" />}
          <bdi>{status}</bdi>
        </p>
        <div class="actions">
          <button
            type="button"
            class={isBlank(text) ? 'secondary' : 'primary'}
            aria-disabled={isStopped}
            onClick={() => send(now)}
          >
            {model.send}
          </button>
          {model.sendLater === undefined ? null : (
            <button type="button" class="secondary" aria-disabled={isStopped} onClick={() => send('ended')}>
              {model.sendLater}
            </button>
          )}
        </div>
      </div>
    </section>
  );
}
