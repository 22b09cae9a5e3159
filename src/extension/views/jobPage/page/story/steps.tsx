import type { JSX } from 'preact';
import { Component } from 'preact';
import type { StoryStep } from '../../model';
import { FoldedText } from '../parts/foldedText';
import { Icon, type Sign } from '../parts/icon';
import { Time } from '../parts/time';

interface StepsProps {
  steps: readonly StoryStep[];
  turn: number;
}

export function Steps({ steps, turn }: StepsProps): JSX.Element {
  return (
    <ol>
      {steps.map((step) => (
        <Step key={step.id} step={step} turn={turn} />
      ))}
    </ol>
  );
}

interface StepProps {
  step: StoryStep;
  turn: number;
}

/** A step is drawn anew only when it has changed: each model brings all of them. */
class Step extends Component<StepProps> {
  override shouldComponentUpdate({ step, turn }: StepProps): boolean {
    return turn !== this.props.turn || !isSame(step, this.props.step);
  }

  override render({ step, turn }: StepProps): JSX.Element {
    const { id, at, kind, tone, text, files } = step;
    return (
      <li class={`step of-${kind}`} data-step={id}>
        <Icon sign={signOf(step)} tone={tone} />
        <div>
          {kind === 'message' ? <FoldedText text={text} fold={`step ${turn} ${id}`} /> : <bdi>{text}</bdi>}
          {files.length === 0 ? null : <Files files={files} />}
        </div>
        <Time at={at} />
      </li>
    );
  }
}

function Files({ files }: { files: readonly string[] }): JSX.Element {
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file}>
          <code dir="ltr">{file}</code>
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
