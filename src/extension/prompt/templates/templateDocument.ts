import type * as vscode from 'vscode';
import { SETTINGS, SETTINGS_SECTION } from '../../ids';

/** The name of the setting that holds templates. */
export const TEMPLATES_SETTING = `${SETTINGS_SECTION}.${SETTINGS.promptTemplates}`;

/** Documents that can hold templates. */
export const TEMPLATE_SELECTOR: vscode.DocumentSelector = [
  { pattern: '**/.docs-agent/prompts/*.md' },
  { pattern: '**/settings.json' },
  { pattern: '**/*.code-workspace' },
];

/** What kind of document with templates it is; undefined for one without. Quick, because every document is asked. */
export function templateKind(document: vscode.TextDocument): 'file' | 'settings' | undefined {
  const { path } = document.uri;
  if (/\/\.docs-agent\/prompts\/[^/]+\.md$/i.test(path)) {
    return 'file';
  }
  const mayHold = /\/settings\.json$|\.code-workspace$/.test(path) && document.getText().includes(TEMPLATES_SETTING);
  return mayHold ? 'settings' : undefined;
}
