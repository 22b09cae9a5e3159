import { deepStrictEqual, ok } from 'node:assert/strict';
import { codeTexts } from '../../support/words/codeTexts';
import { serviceTexts } from '../../support/words/serviceTexts';

/** A sentence that tells of something that is not as it should be. */
const PROBLEM =
  /\b(not|no|can’t|couldn’t|missing|rejected|refused|failed|broke|expired|nothing|neither|none|lacks|wrong|without a|too (long|large|many|old))\b/i;

/** What to do, as the beginning of a sentence or of a part of one. */
const ACTION =
  /(^|[.:;,–] |\b(and|or|then|first|may|be|to) )(add|allow|archive|ask|begin|change|check|choose|close|commit|copy|create|delete|enter|export|fetch|finish|free|get|give|go|install|keep|leave|look|make|mark|merge|move|name|open|press|pull|push|put|reload|remove|run|save|say|see|select|send|set|shorten|show|sign|start|stop|switch|take|tell|track|trust|try|turn|type|use|wait|word|write)\b/i;

/** What has become of the person’s work, or what goes on by itself. */
const KEPT =
  /\b(kept|keeps|stays|stay|is still|are still|goes as soon|goes on|by itself|brings? (?:it|them) back|as (?:it|they) (?:is|was|were|are)|nothing was|was not sent|is not sent|sends nothing|are asked)\b/i;

/** Sentences with neither, and why that is right. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'There is no kind of context with the name “{0}”.': 'said to who wrote a key binding, with a name of theirs',
  'The local service needs no key of yours: the extension makes one.': 'nothing is amiss',
  'No job has a folder on this disk.': 'nothing is amiss',
  'The local service does not run.': 'it was to be stopped',
  'The branch {0} holds nothing that yours does not: it is merged, perhaps.': 'nothing is amiss',
  'No answer came, so the agent may have it already, and would get it twice.': 'below a question with its buttons',
  'The page’s place in the docs tree is not told, because {0} can’t be read: {1}.': 'the page is in the prompt',
  'The header can’t be read: {0}.': 'what the reader of the header says is wrong there',
  'The header holds no name: the file’s name stands for it.': 'nothing is amiss',
  'It could not be made ready: {0}.': 'a reason, after which it is said what is kept',
  'The connection broke before the answer came.': 'a reason, after which it is said what is kept',
  'No coding agent that the local service knows is installed, or not the one that the settings name.':
    'a button shows the agents and how to get them',
  'The remote could not be asked for news ({0}).': 'said after what was done all the same',
  'Project: {0}\nService: {1}\nJob: {2}\n\nA link asks for this. The service is asked about the job, with your key for it; nothing is created, sent or changed there.':
    'below a question with its buttons',
  'The extension “GitHub Pull Requests” is not installed, or it is disabled.': 'buttons open the browser or show it',
  'This job failed: a follow-up takes it up again.': 'in the box for the follow-up',
  'There is no job to follow up on.': 'where a follow-up would be written, below what has become of the job',
  'The prompt of this job was given up, so there is nothing to follow up on.': 'where a follow-up would be written',
  'This job was removed from the list and is not checked any more.': 'beside a button that brings it back',
  'What was before is not in this list.': 'nothing is amiss',
  'The agent could not go on in its earlier conversation. It was told the earlier messages anew.': 'nothing is amiss',
  'The agent is not confined: that is not possible on this system.': 'a note of a job that runs',
  'Your branch “{}” moves forward to this work; no merge commit is needed.': 'nothing is amiss',
  'Your branch “{}” has moved on meanwhile: it gets a merge commit, if there are no conflicts.': 'nothing is amiss',
  'The agent has ended and changed nothing more.': 'nothing is amiss',
  'No text to compare.': 'nothing is amiss',
  'Only the changed files are written; no hook runs.': 'nothing is amiss',
  'Nothing happens twice if you try again.': 'what was kept',
  'Nothing is sent twice if you send again.': 'what was kept',
  '1 job failed.': 'a button of the notice leads to the jobs',
  '{0} jobs failed.': 'a button of the notice leads to the jobs',
  '1 job finished without a pull request.': 'a button of the notice leads to the jobs',
  '{0} jobs finished without a pull request.': 'a button of the notice leads to the jobs',
};

/** What the service says to programs, and what it notes of an agent’s questions. */
const NOT_FOR_PEOPLE = /src\/service\/(http\/|readServiceInput|usage|agents\/(acpPermissions|permissions))/;

describe('a text that tells of a problem', () => {
  it('says what to do, or what was kept', () => {
    const texts = [...codeTexts().texts, ...serviceTexts().filter(({ place }) => !NOT_FOR_PEOPLE.test(place))];
    const problems = texts.filter(({ text }) => text.endsWith('.') && PROBLEM.test(text));
    ok(problems.length > 100);
    deepStrictEqual(
      Object.keys(EXCEPTIONS).filter((text) => !texts.some((each) => each.text === text)),
      [],
      'no exception is left over',
    );
    const silent = problems.filter(({ text }) => !ACTION.test(text) && !KEPT.test(text) && !(text in EXCEPTIONS));
    deepStrictEqual([...new Map(silent.map(({ text, place }) => [text, `${place} ${text}`])).values()], []);
  });
});
