import type { SendTime } from '../../platform/sendTime';
import type { Severity } from '../../presentation/severity';

/**
 * What the page of a job shows, and what page and extension tell each other. The extension makes the model of the
 * record, the story and the changes; the page draws it and keeps nothing of its own but what is being typed.
 *
 * All texts are plain text in the editor's language, ready to be shown: the page has no words of its own. Times are wall
 * time in milliseconds; the page writes them out with `Intl` in `language`.
 */
export interface PageModel {
  /** BCP 47. */
  readonly language: string;
  readonly words: PageWords;
  readonly title: string;
  readonly state: PageState;
  /** Project, branch, model and so on, in the order in which they are shown. */
  readonly facts: readonly Fact[];
  /** What can be done with the job now; at most one stands out. */
  readonly actions: readonly Action[];
  readonly timeline: Timeline;
  /** What the agent does and did; absent where the service tells no story. */
  readonly story?: Story | undefined;
  /** Absent where it is not known what was changed, and for as long as nothing was. */
  readonly changes?: Changes | undefined;
  readonly followUp: FollowUpBox;
}

export interface PageState {
  readonly text: string;
  readonly tone: Severity;
  /** Why it failed, what the user should know of the result, how old the news are: a sentence each. */
  readonly notes: readonly string[];
}

export interface Fact {
  readonly label: string;
  readonly text: string;
  /** What a click on the text does. */
  readonly action?: ActionId | undefined;
}

/** Names a command of the extension that takes this job, or an act of the page's host. */
export type ActionId = string;

export interface Action {
  readonly id: ActionId;
  readonly label: string;
  /** What the user most likely wants next. */
  readonly isPrimary?: true | undefined;
  /** Of an act on one prompt that is offered for the whole job: the entry of the prompt. */
  readonly entry?: string | undefined;
  /** What the page has a place for itself: the button leads there. */
  readonly leadsTo?: 'followUp' | undefined;
}

/** What happened when. Spans lie one after the other or overlap (`unchecked` does); entries are in order of time. */
export interface Timeline {
  readonly from: number;
  /** Absent while the job runs: it grows up to now. */
  readonly to?: number | undefined;
  readonly spans: readonly Span[];
  readonly entries: readonly Entry[];
}

export interface Span {
  /** `waiting`: the prompt had not gone; `idle`: between the end of a run and the next prompt; `unchecked`: polls failed. */
  readonly kind: 'waiting' | 'running' | 'idle' | 'unchecked';
  readonly from: number;
  /** Absent while it goes on. */
  readonly to?: number | undefined;
  /** “In progress”, “Run”, “Waited for a follow-up”; the page adds how long it took so far. */
  readonly text: string;
  /** Of a run that is over: how it ended. */
  readonly end?: string | undefined;
  /** Of a run: how it ended. */
  readonly tone?: Severity | undefined;
}

export interface Entry {
  readonly id: string;
  readonly at: number;
  readonly kind: 'prompt' | 'followUp' | 'state' | 'pollFailed' | 'pullRequest';
  readonly tone: Severity;
  /** “Follow-up”, “Pull request ready”. */
  readonly title: string;
  /** A prompt as it was sent, or why something failed; may have many lines. */
  readonly text?: string | undefined;
  /** How long the state lasted, in milliseconds. */
  readonly duration?: number | undefined;
  /** What can be done with it: a prompt that was not sent can be sent, changed or discarded. */
  readonly actions?: readonly Action[] | undefined;
}

/** The newest story of the agent, folded: the plan as it stands, and what was said and done, a turn each. */
export interface Story {
  /** Whether more of it is on its way: the page tells what is new to screen readers only then. */
  readonly isLive: boolean;
  readonly plan: readonly { readonly text: string; readonly state: 'pending' | 'in_progress' | 'completed' }[];
  readonly turns: readonly StoryTurn[];
  /** How many earlier ones are not among them. */
  readonly earlier: number;
}

export interface StoryTurn {
  readonly turn: number;
  readonly from: number;
  readonly steps: readonly StoryStep[];
}

export interface StoryStep {
  readonly id: string;
  readonly at: number;
  readonly kind: 'message' | 'tool' | 'permission' | 'note' | 'state';
  readonly tone: Severity;
  readonly text: string;
  /** Paths in the repository. */
  readonly files: readonly string[];
}

export interface Changes {
  readonly files: readonly ChangedFile[];
  /** Where there are more than are listed. */
  readonly more: number;
  readonly added: number;
  readonly deleted: number;
  /** Whether one can be opened by its name here. */
  readonly canOpen: boolean;
}

export interface ChangedFile {
  /** In the repository, with `/`. */
  readonly path: string;
  readonly from?: string | undefined;
  readonly kind: 'added' | 'changed' | 'deleted' | 'renamed';
  /** In lines; undefined for a binary file. */
  readonly added?: number | undefined;
  readonly deleted?: number | undefined;
}

export interface FollowUpBox {
  /** Why none can be sent now; undefined when one can. */
  readonly refused?: string | undefined;
  /** What a send does in this state. */
  readonly placeholder: string;
  readonly send: string;
  /** The second way, while the job runs: after its end. */
  readonly sendLater?: string | undefined;
}

/** The fixed texts of the page. */
export interface PageWords {
  readonly timeline: string;
  readonly story: string;
  readonly plan: string;
  readonly changes: string;
  readonly followUp: string;
  readonly prompt: string;
  readonly now: string;
  readonly showAll: string;
  readonly showLess: string;
  readonly sending: string;
  readonly binary: string;
  /** With `{0}` for a number. */
  readonly turn: string;
  readonly earlier: string;
  readonly moreFiles: string;
  readonly stepStates: Readonly<Record<'pending' | 'in_progress' | 'completed', string>>;
  readonly fileKinds: Readonly<Record<ChangedFile['kind'], string>>;
  readonly emptyPrompt: string;
}

/**
 * The document that the extension makes for the page holds `dist/jobPage.css`, `dist/jobPage.js` as a module with the
 * nonce, and an empty body. What stands as a JSON object in the body's `data-state` is joined to the state that the
 * editor keeps of the page: only the page's script can reach it. The page's own part of the state is `page`.
 */
export interface KeptState {
  readonly page?: {
    readonly folds: Readonly<Record<string, boolean>>;
    /** In pixels from the top. */
    readonly scroll: number;
    /** Of the story; absent while it stays at its newest end. */
    readonly storyScroll?: number | undefined;
  };
}

/** What the extension tells the page. */
export type ToPage =
  | { readonly type: 'model'; readonly model: PageModel }
  /**
   * What is to stand in the box: what was left in it, before or after the first model, and later what was typed for the
   * same job elsewhere. `told` is the last text that the extension had heard of this page by then.
   */
  | { readonly type: 'draft'; readonly text: string; readonly told: string }
  /** The prompt is on disk: the box is emptied, unless it holds something newer. */
  | { readonly type: 'kept' }
  /** The prompt was not kept, or held back; the text stays, with a sentence below it, if there is one. */
  | { readonly type: 'notKept'; readonly why?: string | undefined };

/** What the page tells the extension, which checks it by `fromPageSchema`. */
export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'action'; readonly id: ActionId; readonly entry?: string | undefined }
  | { readonly type: 'draft'; readonly text: string }
  /** `when` is there where both ways were offered and one of them was clicked. */
  | { readonly type: 'send'; readonly text: string; readonly when?: SendTime | undefined }
  | { readonly type: 'openFile'; readonly path: string };
