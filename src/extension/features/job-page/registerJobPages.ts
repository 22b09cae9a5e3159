import * as vscode from 'vscode';
import { JOB_PAGE } from '../../ids';
import type { JobPages } from './jobPages';

/** Restores the job pages that the editor kept across a reload. */
export function registerJobPages(pages: () => Promise<JobPages>): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(JOB_PAGE, {
    deserializeWebviewPanel: async (panel, state) => (await pages()).restore(panel, state),
  });
}
