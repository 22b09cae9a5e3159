import type * as vscode from 'vscode';

/** Where a template comes from: files of the workspace, the user's settings, or this extension. */
export type TemplateSource = 'team' | 'yours' | 'shipped';

/** A template that can be inserted. */
export interface PromptTemplate {
  source: TemplateSource;
  name: string;
  /** Its author's words on what it is for. */
  description?: string | undefined;
  text: string;
  /** The file that it stands in; those of the settings have none. */
  uri?: vscode.Uri | undefined;
  /** What is wrong with its file, a sentence for the user; it can be inserted all the same. */
  flaw?: string | undefined;
}
