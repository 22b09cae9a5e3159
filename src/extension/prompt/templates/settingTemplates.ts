import * as vscode from 'vscode';
import { readSettingTemplates } from '../../../prompt/template/settingTemplates';
import { settings } from '../../settings';
import type { PromptTemplate } from './promptTemplate';

export interface TemplatesOfSettings {
  templates: readonly PromptTemplate[];
  /** Entries that can't be read, a sentence each. */
  refused: readonly string[];
}

/** The user's templates, and those of this extension that they neither changed nor hid. */
export function readTemplatesOfSettings(): TemplatesOfSettings {
  const { merged, own } = settings.promptTemplates();
  const { templates, unreadable } = readSettingTemplates(merged);
  return {
    templates: templates.map((each) => ({ ...each, source: own.has(each.name) ? 'yours' : 'shipped' })),
    refused: unreadable.map((name) =>
      vscode.l10n.t(
        'The template “{0}” of the settings is neither text nor a list of lines. Change it in the settings.',
        name,
      ),
    ),
  };
}
