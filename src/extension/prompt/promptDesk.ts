import * as vscode from 'vscode';
import { type ContextBlock, renderBlock } from '../../prompt/contextBlock';
import type { Projects } from '../services/projects';
import { toNotice } from '../text';
import type { Composer } from './composer/composer';

/** What was gathered for a prompt. */
export interface Collected {
  blocks: readonly ContextBlock[];
  /** What is not among them and why, a sentence each, for the user. */
  refused: readonly string[];
}

export interface Addition extends Collected {
  /** What the agent should do with it; stands before the blocks. */
  instruction?: string;
  /** Whose folder decides the project, where a prompt is opened. */
  resource?: vscode.Uri | undefined;
}

/** The one door through which context comes into a prompt: as text that the user sees, and can change, before it goes. */
export class PromptDesk {
  constructor(
    private readonly composer: Composer,
    private readonly projects: Projects,
  ) {}

  /** Adds to the prompt that is at hand, or opens one for a new job. Undefined when there is nothing to add or the user cancelled. */
  add(addition: Addition): Promise<vscode.TextEditor | undefined> {
    return this.put(addition, true);
  }

  /** The same in the prompt of a new job, whatever other prompt is open. */
  begin(addition: Addition): Promise<vscode.TextEditor | undefined> {
    return this.put(addition, false);
  }

  private async put(addition: Addition, atHand: boolean): Promise<vscode.TextEditor | undefined> {
    const { instruction = '', blocks, refused, resource } = addition;
    if (refused.length > 0) {
      void vscode.window.showWarningMessage(toNotice(refused.join(' '), 500));
    }
    const text = [instruction, ...blocks.map(renderBlock)].filter((part) => part !== '').join('\n\n');
    if (text === '') {
      return undefined;
    }
    const open = atHand ? await this.composer.reopen() : undefined;
    if (open !== undefined) {
      await this.composer.insert(open, text);
      return open;
    }
    const home = await this.projects.choose(undefined, resource);
    const opened = home && (await this.composer.openForHome(home));
    await (opened && this.composer.insert(opened, text));
    return opened;
  }
}
