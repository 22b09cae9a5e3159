import type { ChangedPart, Paragraph } from '../../../base/changedParagraphs';
import type { SendTime } from '../../platform/sendTime';
import type { Severity } from '../../presentation/severity';

export type { ChangedPart, Paragraph };

/**
 * What the page of a job shows, and the messages between page and extension. The extension builds the model from the
 * record, the activity log and the changes; the page renders it and holds no state besides the text being typed.
 *
 * All texts are plain text in the display language, ready to be shown: the page has no texts of its own. Times are wall
 * time in milliseconds; the page formats them with `Intl` in the language of its document.
 */
export interface PageModel {
  readonly words: PageLabels;
  readonly title: string;
  readonly state: PageState;
  /** Project, branch, model and so on, in display order. */
  readonly facts: readonly Fact[];
  /** The most likely actions, at most three; at most one is primary. The last one leads to `moreActions`. */
  readonly actions: readonly Action[];
  /** All other actions that are available now. */
  readonly moreActions: readonly Action[];
  /** In chronological order. */
  readonly history: readonly Entry[];
  /** The agent's activity; absent when the service provides no log. */
  readonly activity?: Activity | undefined;
  /** Absent while the changes are unknown or there are none. */
  readonly changes?: Changes | undefined;
  /** Absent until the changes have been checked, or can be once their branch is fetched. */
  readonly check?: ResultCheck | undefined;
  readonly followUp: FollowUpBox;
}

export interface PageState {
  readonly text: string;
  readonly tone: Severity;
  /** One sentence each: why the job failed, what the user should know about the result, how old the information is. */
  readonly notes: readonly string[];
}

export interface Fact {
  readonly label: string;
  readonly text: string;
  /** What clicking the text does. */
  readonly action?: ActionId | undefined;
}

/** A command of the extension that takes this job, or an action of the page's host. */
export type ActionId = string;

export interface Action {
  readonly id: ActionId;
  readonly label: string;
  /** The action the user most likely wants next. */
  readonly isPrimary?: true | undefined;
  /** For an action on one prompt that is offered for the whole job: the prompt's entry. */
  readonly entry?: string | undefined;
}

/** A prompt, how a run ended, or what became of the work. */
export interface Entry {
  readonly id: string;
  readonly at: number;
  readonly kind: 'prompt' | 'followUp' | 'state' | 'pullRequest';
  readonly tone: Severity;
  /** “Follow-up”, “Pull request ready”. */
  readonly title: string;
  /** The state of a prompt that was not accepted, or how long a run took. */
  readonly note?: string | undefined;
  /** Why a prompt was not accepted, or not yet. */
  readonly why?: string | undefined;
  /** A prompt as it was sent, or the reason for a failure; may have many lines. */
  readonly text?: string | undefined;
  /** Available actions: a prompt that was not sent can be sent, changed or discarded. */
  readonly actions?: readonly Action[] | undefined;
}

/** What the agent did lately: the current plan, and the messages and steps, grouped by turn. */
export interface Activity {
  /** Whether more is expected; only then are updates announced to screen readers. */
  readonly isLive: boolean;
  /** The number of the newest turn. */
  readonly run: number;
  /** Leads to what that turn changed, if it isn't the first. */
  readonly newChanges?: ActionId | undefined;
  /** The agent's last message in the newest turn, which `turns` doesn't have. */
  readonly summary?: ActivityStep | undefined;
  readonly plan: readonly { readonly text: string; readonly state: 'pending' | 'in_progress' | 'completed' }[];
  readonly turns: readonly ActivityTurn[];
  /** Number of earlier entries left out. */
  readonly earlier: number;
}

export interface ActivityTurn {
  readonly turn: number;
  /** Never empty. */
  readonly steps: readonly ActivityStep[];
}

export interface ActivityStep {
  /** Increases. */
  readonly id: number;
  readonly at: number;
  readonly kind: 'message' | 'tool' | 'permission' | 'note';
  readonly tone: Severity;
  readonly text: string;
  /** Paths relative to the repository. */
  readonly files: readonly string[];
}

export interface Changes {
  readonly files: readonly ChangedFile[];
  /** Number of files beyond those listed. */
  readonly more: number;
  readonly added: number;
  readonly deleted: number;
  /** Whether files can be opened here. */
  readonly canOpen: boolean;
  /** Shows all changes in the editor; absent while it is not available. */
  readonly reviewAll?: ActionId | undefined;
}

export interface ChangedFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly from?: string | undefined;
  readonly kind: 'added' | 'changed' | 'deleted' | 'renamed';
  /** In lines; undefined for a binary file. */
  readonly added?: number | undefined;
  readonly deleted?: number | undefined;
}

/** What changed in a file. Texts are untrusted, bounded, and have no invisible characters. */
export interface FileDiff {
  /** As in `ChangedFile`. */
  readonly path: string;
  /** The changed paragraphs; those that have not changed are left out. */
  readonly paragraphs: readonly Paragraph[];
  /** Whether the file has further changes. */
  readonly isCut: boolean;
  /** For a picture, even if neither version can be shown. */
  readonly isImage?: true | undefined;
  /** A picture before and after, as a `data:` URI of an image made of pixels. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** What the check of the added lines has found, or what is missing for it. */
export interface ResultCheck {
  /** The number of problems, that there are none, or what is missing. */
  readonly title: string;
  readonly findings: readonly CheckFinding[];
  /** How many more were found. */
  readonly more?: string | undefined;
  /** What was not looked at. */
  readonly notChecked?: string | undefined;
  /** A follow-up about the findings, for the box; absent without findings, or when no follow-up can be sent. */
  readonly request?: string | undefined;
  /** Gets what is missing; absent when nothing is. */
  readonly action?: { readonly id: ActionId; readonly label: string; readonly isBusy?: true } | undefined;
}

export interface CheckFinding {
  /** Page and line. */
  readonly place: string;
  readonly text: string;
}

export interface FollowUpBox {
  /** Why no follow-up can be sent now; undefined when one can. */
  readonly refused?: string | undefined;
  /** What to know before sending: a sentence each. */
  readonly effects: readonly string[];
  readonly placeholder: string;
  readonly send: string;
  /** Label of the second way to send while the job runs: after the run. */
  readonly sendLater?: string | undefined;
}

/** The fixed texts of the page. */
export interface PageLabels {
  readonly history: string;
  readonly activity: string;
  readonly plan: string;
  readonly summary: string;
  /** The heading of the summary while the agent works. */
  readonly latest: string;
  readonly changes: string;
  readonly details: string;
  readonly reviewAll: string;
  readonly newChanges: string;
  readonly summaryOf: string;
  readonly changesOfAll: string;
  readonly followUp: string;
  readonly prompt: string;
  readonly showAll: string;
  readonly showLess: string;
  readonly sending: string;
  readonly binary: string;
  readonly before: string;
  readonly after: string;
  /** Stands for a picture that is too large, or one of too many. */
  readonly noPicture: string;
  /** Stands for changes that can't be seen, such as line endings. */
  readonly noText: string;
  /** `{0}` is a number. */
  readonly turn: string;
  readonly oneEarlier: string;
  readonly earlier: string;
  readonly oneFile: string;
  readonly files: string;
  readonly oneMoreFile: string;
  readonly moreFiles: string;
  readonly showOneParagraph: string;
  readonly showParagraphs: string;
  readonly moreText: string;
  /** `{0}` is the old path. */
  readonly renamed: string;
  readonly stepStates: Readonly<Record<'pending' | 'in_progress' | 'completed', string>>;
  readonly fileKinds: Readonly<Record<ChangedFile['kind'], string>>;
  readonly emptyPrompt: string;
  readonly askToFix: string;
}

/**
 * What the editor saves for a page, and passes to the extension to restore it. The HTML document has the job's key in
 * its body's `data-job-key`.
 */
export interface SavedState {
  readonly jobKey: string;
  /** Which texts are expanded. */
  readonly folds: readonly string[];
  /** In pixels from the top. */
  readonly scroll: number;
  /** Scroll position in the activity log; undefined while it is at the newest entry. */
  readonly activityScroll?: number | undefined;
}

/** Messages from the extension to the page. */
export type ToPage =
  | { readonly type: 'model'; readonly model: PageModel }
  /** What changed in the files of the model. A separate message, because it is large and rarely changes. */
  | { readonly type: 'diff'; readonly files: readonly FileDiff[] }
  /**
   * The text for the box: the saved draft (sent before or after the first model), and later what was typed for the same
   * job elsewhere. `lastReceived` is the last text that the extension had received from this page.
   */
  | { readonly type: 'draft'; readonly text: string; readonly lastReceived: string }
  /** The prompt with this text is on disk: clear the box, unless its text is newer. */
  | { readonly type: 'saved'; readonly text: string }
  /** The prompt was not saved, or the user decided against sending. The text stays, with `why` below it if given. */
  | { readonly type: 'notSaved'; readonly why?: string | undefined };

/** Messages from the page, which the extension validates with `fromPageSchema`. */
export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'action'; readonly id: ActionId; readonly entry?: string | undefined }
  | { readonly type: 'draft'; readonly text: string }
  /** `when` is set if both ways to send were offered and the user picked one. */
  | { readonly type: 'send'; readonly text: string; readonly when?: SendTime | undefined }
  | { readonly type: 'openFile'; readonly path: string };
