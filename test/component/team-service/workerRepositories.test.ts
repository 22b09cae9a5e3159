import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Git } from '../../../src/git/git';
import { TokenStore } from '../../../src/local-service/forges/credentials';
import { JobLocks } from '../../../src/local-service/jobs/jobOperations';
import type { Project } from '../../../src/local-service/store/jobStore';
import { WorkerRepositories } from '../../../src/team-service/workerRepositories';
import { temporaryFolder } from '../../support/temporaryRepository';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('WorkerRepositories', () => {
  it('removes unused clones once the work that may use them has ended', async () => {
    const folder = await temporaryFolder();
    const repositories = new WorkerRepositories({
      ...{ git: new Git(process.env), folder, tokens: new TokenStore(), environment: {}, log },
    });
    const project = (id: string) => ({ id, name: id, folder: `https://git.example/${id}.git` }) as Project;
    const nameOf = (id: string) => basename(repositories.folderOf(project(id)));
    const [kept, again, gone] = [nameOf('kept'), nameOf('again'), nameOf('gone')];
    const all = [kept, `${kept}.new`, again, gone, `${gone}.new`, '.removing-x'];
    await Promise.all(all.map((name) => mkdir(join(folder, name))));
    const locks = new JobLocks();
    let end: () => void = () => undefined;
    void locks.hold('j1', () => new Promise<void>((resolve) => (end = resolve)));
    let projects = [project('kept')];
    const removing = repositories.removeUnused(
      async () => projects,
      async () => {
        const ended = locks.untilPresentEnds();
        assert.deepEqual((await readdir(folder)).toSorted(), all.toSorted());
        projects = [...projects, project('again')];
        end();
        await ended;
      },
    );
    // Work that begins later uses the current addresses.
    await removing;
    assert.deepEqual((await readdir(folder)).toSorted(), [again, kept, `${kept}.new`].toSorted());
  });

  it('removes nothing where there is no clone yet', async () => {
    const folder = join(await temporaryFolder(), 'none');
    const repositories = new WorkerRepositories({
      ...{ git: new Git(process.env), folder, tokens: new TokenStore(), environment: {}, log },
    });
    await repositories.removeUnused(
      async () => [],
      async () => assert.fail('waited'),
    );
  });
});
