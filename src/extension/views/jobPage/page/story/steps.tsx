import type { JSX } from 'preact';
import { Component } from 'preact';
import type { StoryStep } from '../../model';
import { useTools } from '../context';
import { FoldedText, Icon, type Sign, Time } from '../parts';

interface StepsProps {
  steps: readonly StoryStep[];
  turn: number;
  /** Files of which it can be shown what was done to them. */
  canOpen: ReadonlySet<string>;
}

export function Steps({ steps, turn, canOpen }: StepsProps): JSX.Element {
  return (
    <ol>
      {steps.map((step) => (
        <Step key={step.id} {...{ step, turn, canOpen }} />
      ))}
    </ol>
  );
}

interface StepProps {
  step: StoryStep;
  turn: number;
  canOpen: ReadonlySet<string>;
}

/** A step is rendered again only when it has changed, because each model contains all of them. */
class Step extends Component<StepProps> {
  override shouldComponentUpdate({ step, turn, canOpen }: StepProps): boolean {
    const isOther = (file: string): boolean => canOpen.has(file) !== this.props.canOpen.has(file);
    return turn !== this.props.turn || !isSame(step, this.props.step) || step.files.some(isOther);
  }

  override render({ step, turn, canOpen }: StepProps): JSX.Element {
    const { id, at, kind, tone, text, files } = step;
    return (
      <li class={`step of-${kind}`} data-step={id}>
        <Icon sign={signOf(step)} tone={tone} />
        <div>
          {kind === 'message' ? <FoldedText text={text} fold={`step ${turn} ${id}`} /> : <bdi>{text}</bdi>}
          {files.length === 0 ? null : <Files {...{ files, canOpen }} />}
        </div>
        <Time at={at} />
      </li>
    );
  }
}

function Files({ files, canOpen }: { files: readonly string[]; canOpen: ReadonlySet<string> }): JSX.Element {
  const { post } = useTools();
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file}>
          {canOpen.has(file) ? (
            <button type="button" class="link" onClick={() => post({ type: 'openFile', path: file })}>
              <code dir="ltr">{file}</code>
            </button>
          ) : (
            <code dir="ltr">{file}</code>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What went wrong or goes on bears the sign of that; all else that of its kind. */
function signOf({ kind, tone }: StoryStep): Sign {
  if (kind === 'state') {
    return tone === 'running' ? 'state' : tone;
  }
  return tone === 'bad' || tone === 'warning' || (tone === 'running' && kind === 'tool') ? tone : kind;
}

function isSame(one: StoryStep, other: StoryStep): boolean {
  const fields = ['id', 'at', 'kind', 'tone', 'text'] as const;
  return (
    fields.every((field) => one[field] === other[field]) &&
    one.files.length === other.files.length &&
    one.files.every((file, index) => file === other.files[index])
  );
}
