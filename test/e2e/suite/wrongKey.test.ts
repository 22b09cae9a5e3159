import { ok, strictEqual } from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import type { RunningService } from '../../support/serviceProcess';
import { newKey, startService } from '../../support/serviceProcess';
import { createSampleRepository, temporaryFolder } from '../../support/temporaryRepository';
import { exportedJobs } from '../exportedJobs';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

describe('a key that the service rejects', () => {
  const services: RunningService[] = [];
  const folders: string[] = [];

  const window = useWindow(async () => {
    const repo = await temporaryFolder();
    folders.push(repo);
    await createSampleRepository(repo);
    const service = await startService({ repo });
    services.push(service);
    folders.push(service.data);
    return {
      settings: { 'docsAgent.baseUrl': service.baseUrl, 'docsAgent.projectId': service.projectId },
      trustedOrigins: [service.baseUrl],
    };
  });

  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  it('is asked for again in place, and the prompt goes on', async () => {
    const { workbench } = window();
    const rightKey = services[0]?.key;
    ok(rightKey !== undefined);
    await workbench.palette('Docs Agent: New Job…');
    await workbench.quickInput.expectTitle(/^New job for/);
    await workbench.quickInput.answer('Document the rejected key');

    await workbench.quickInput.expectTitle(/^API key for/);
    strictEqual(await workbench.quickInput.isPassword(), true);
    await workbench.quickInput.answer(newKey());
    await workbench.quickInput.expectTitle(/rejected the API key/);
    await workbench.screenshot('wrong key 1 asked again');
    await workbench.quickInput.answer(rightKey);

    await workbench.toast(/Pull request ready.*Document the rejected key/).expect(JOB_LIMIT);
    await workbench.activityBar('Docs Agent');
    await workbench.tree('Jobs').expectRow(/Document the rejected key.*pull request ready/);
    await workbench.screenshot('wrong key 2 done');
    strictEqual((await exportedJobs(workbench)).length, 1);
  });
});
