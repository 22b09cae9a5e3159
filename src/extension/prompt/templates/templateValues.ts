import * as vscode from 'vscode';
import type { ValueVariable } from '../../../prompt/template/variables';
import type { Repositories } from '../../services/repositories';
import { filePlace } from '../context/filePlace';
import type { LastEditor } from '../context/lastEditor';

/** What the values of variables are taken from. */
export interface ValueSources {
  lastEditor: LastEditor;
  repositories: Repositories;
}

/** What stands for a variable now; undefined where there is nothing. */
export async function valueOf(
  { lastEditor, repositories }: ValueSources,
  name: ValueVariable,
): Promise<string | undefined> {
  const uri = lastEditor.current?.document.uri;
  switch (name) {
    case 'file':
      return uri && oneLine(uri.scheme === 'file' ? uri.fsPath : uri.toString(true));
    case 'relativeFile':
      return uri && oneLine(filePlace(uri).path);
    case 'branch': {
      const place = uri?.scheme === 'file' ? uri : vscode.workspace.workspaceFolders?.[0]?.uri;
      return place && (await repositories.holding(place))?.state.HEAD?.name;
    }
  }
}

/** What to do where there is nothing for a variable. */
export function missingValue(name: ValueVariable): string {
  return name === 'branch'
    ? vscode.l10n.t(
        'No branch is checked out here, or the Git extension does not know of it. Check out a branch first.',
      )
    : vscode.l10n.t('Open the file that the prompt is about first.');
}

/** A path may hold a line break, and would then be more than a path in the prompt. */
function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, ' ');
}
