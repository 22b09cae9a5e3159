import * as vscode from 'vscode';
import { type Ask, askKey } from '../../../prompt/template/asks';
import { toBoxLine, toLabel, toPickLabel } from '../../text';

/** How one question ended. */
type Step = { answer: string } | 'back' | 'cancelled';

/**
 * Asks one question after the other, with a way back. Resolves to the answers by `askKey`, to `back` when the user went
 * back from the first, where `mayLeave` allows that, and to `cancelled` when a question was closed.
 *
 * @param inWords questions and choices as they are shown; answers are the choices as they stand in the template
 */
export async function askAnswers(
  title: string,
  asks: readonly Ask[],
  mayLeave: boolean,
  inWords: (text: string) => string = (text) => text,
): Promise<Map<string, string> | 'back' | 'cancelled'> {
  const answers = new Map<string, string>();
  for (let at = 0; at < asks.length;) {
    const ask = asks[at];
    if (ask === undefined) {
      break;
    }
    const canGoBack = at > 0 || mayLeave;
    const step = await askOne({
      title,
      ask,
      inWords,
      step: at + 1,
      totalSteps: asks.length,
      canGoBack,
      given: answers.get(askKey(ask)),
    });
    if (step === 'cancelled' || (step === 'back' && at === 0)) {
      return step;
    }
    if (step === 'back') {
      at -= 1;
      continue;
    }
    answers.set(askKey(ask), step.answer);
    at += 1;
  }
  return answers;
}

interface StepOptions {
  title: string;
  ask: Ask;
  inWords: (text: string) => string;
  step: number;
  totalSteps: number;
  canGoBack: boolean;
  /** The answer that was given before the user went back. */
  given?: string | undefined;
}

function askOne(options: StepOptions): Promise<Step> {
  const { ask, given } = options;
  return ask.kind === 'input' ? askText(options, ask.question, given) : askChoice(options, ask.choices, given);
}

function askText(options: StepOptions, question: string, given = ''): Promise<Step> {
  const box = vscode.window.createInputBox();
  box.prompt = toBoxLine(options.inWords(question), 400);
  box.value = given;
  box.onDidChangeValue(() => (box.validationMessage = undefined));
  return shown(options, box, () => {
    const answer = box.value.trim();
    if (answer === '') {
      box.validationMessage = vscode.l10n.t('Type an answer, or press Escape to insert nothing.');
    }
    return answer === '' ? undefined : answer;
  });
}

function askChoice(options: StepOptions, choices: readonly string[], given?: string): Promise<Step> {
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { choice: string }>();
  pick.placeholder = vscode.l10n.t('Choose what to insert');
  pick.items = choices.map((choice) => ({ label: toPickLabel(options.inWords(choice)), choice }));
  pick.activeItems = pick.items.filter(({ choice }) => choice === given);
  return shown(options, pick, () => pick.selectedItems[0]?.choice);
}

/** @param answer what Enter gives; undefined when it gives none */
function shown(
  { title, step, totalSteps, canGoBack }: StepOptions,
  input: vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem & { choice: string }>,
  answer: () => string | undefined,
): Promise<Step> {
  input.title = toLabel(title, 80);
  input.step = step;
  input.totalSteps = totalSteps;
  input.ignoreFocusOut = true;
  input.buttons = canGoBack ? [vscode.QuickInputButtons.Back] : [];
  return new Promise((resolve) => {
    const end = (how: Step): void => {
      resolve(how);
      input.dispose();
    };
    input.onDidTriggerButton(() => end('back'));
    input.onDidAccept(() => {
      const given = answer();
      if (given !== undefined) {
        end({ answer: given });
      }
    });
    input.onDidHide(() => end('cancelled'));
    input.show();
  });
}
