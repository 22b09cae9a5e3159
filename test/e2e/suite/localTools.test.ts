import { match, ok, strictEqual } from 'node:assert/strict';
import { exportedJobs } from '../exportedJobs';
import { JOB_LIMIT, localWindow } from '../localWindow';
import { useWindow } from '../window';

describe('local jobs', () => {
  const window = useWindow(localWindow());

  it('are stopped from their row, without a notice, and taken up again by a follow-up', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.activityBar('Docs Agent');
    void workbench.host.command('docsAgent.createJob', { prompt: 'Document the tides [scripted: wait 120000]' });
    await tree.expectRow(/Document the tides.*in progress/, JOB_LIMIT);
    await tree.contextMenu('Document the tides', 'Stop Job');
    await tree.expectRow(/Document the tides.*stopped/, JOB_LIMIT);
    await workbench.screenshot('local tools 1 stopped');
    await tree.inlineAction('Document the tides', 'Send Follow-up');
    await workbench.quickInput.answer('Document the tides');
    await tree.expectRow(/Document the tides.*pull request ready/, JOB_LIMIT);
    // The notice of this end comes after that of the one before, had there been one; a warning stays until it is closed.
    await workbench.toast('Pull request ready').expect(JOB_LIMIT);
    strictEqual(await workbench.toastCount('Job failed'), 0, 'who stopped it need not be told');
  });

  it('show what their folders take, and are archived when their work is safe', async () => {
    const { workbench } = window();
    const tree = workbench.tree('Jobs');
    await workbench.palette('Docs Agent: Show Job Folders');
    await workbench.quickInput.expectTitle(/^Folders of local jobs: [\d.]+ .B in all/);
    const [row] = await workbench.quickInput.rows();
    match(row ?? '', /Document the tides.*completed/);
    await workbench.screenshot('local tools 2 folders');
    await workbench.quickInput.cancel();
    await tree.contextMenu('Document the tides', 'Archive Job');
    await tree.expectRow(/Document the tides.*archived/, JOB_LIMIT);
    const [job] = await exportedJobs(workbench);
    ok(job?.prLink != null, 'its page stays');
    await workbench.palette('Docs Agent: Show Job Folders');
    await workbench.toast('No job has a folder').expect(JOB_LIMIT);
  });

  it('say which agents are installed, which are missing and how to get them', async () => {
    const { workbench } = window();
    await workbench.palette('Docs Agent: Show Coding Agents');
    await workbench.quickInput.expectTitle('Coding agents for local jobs');
    const rows = await workbench.quickInput.rows();
    ok(
      ['Claude Code', 'Codex', 'Gemini CLI', 'opencode'].every((name) => rows.some((row) => row.includes(name))),
      rows.join('\n'),
    );
    await workbench.screenshot('local tools 3 agents');
    await workbench.quickInput.pick('A program of your own');
    await workbench.page.getByText('Agent Command').first().waitFor();
  });
});
