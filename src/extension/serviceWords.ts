import * as vscode from 'vscode';
import { sentenceTranslator, serviceSentences } from '../shared/words/sentences';

/**
 * A reason or a note of the local service in the language of the editor, as far as it is known. The service writes
 * English, which is kept as it came: another editor may show it in another language.
 */
export const inEditorLanguage = sentenceTranslator(serviceSentences(vscode.l10n.bundle ?? {}));
