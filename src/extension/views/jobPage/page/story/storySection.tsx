import type { JSX } from 'preact';
import type { Changes, Story, StoryTurn } from '../../model';
import { fill } from '../format';
import { useTools } from '../context';
import { Time } from '../parts/time';
import { Plan } from './plan';
import { Steps } from './steps';
import { StoryLog } from './storyLog';
import type { StoryScroll } from './storyScroll';
import { useStoryScroll } from './storyScroll';

interface StorySectionProps {
  story: Story;
  changes: Changes | undefined;
  scroll: StoryScroll;
}

/** What the agent does and did. It scrolls by itself, so that news never move what is read elsewhere on the page. */
export function StorySection({ story, changes, scroll }: StorySectionProps): JSX.Element {
  const { words, format } = useTools();
  const canOpen = new Set(changes?.canOpen === true ? changes.files.map(({ path }) => path) : []);
  const box = useStoryScroll(story, scroll);
  return (
    <section class="story" aria-labelledby="story">
      <h2 id="story">{words.story}</h2>
      <Plan steps={story.plan} />
      {story.earlier > 0 ? <p class="note">{fill(words.earlier, format.number(story.earlier))}</p> : null}
      {story.turns.length === 0 ? null : (
        <div ref={box} class="scroll" role="group" tabIndex={0} aria-labelledby="story">
          {story.turns.map((turn) => (
            <Turn key={turn.turn} {...{ turn, canOpen }} />
          ))}
        </div>
      )}
      <StoryLog story={story} />
    </section>
  );
}

interface TurnProps {
  turn: StoryTurn;
  canOpen: ReadonlySet<string>;
}

function Turn({ turn: { turn, from, steps }, canOpen }: TurnProps): JSX.Element {
  const { words, format } = useTools();
  return (
    <div class="turn">
      <h3>
        {fill(words.turn, format.number(turn))} <Time at={from} />
      </h3>
      <Steps {...{ steps, turn, canOpen }} />
    </div>
  );
}
