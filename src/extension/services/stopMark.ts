import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../shared/util/durability';
import { PRIVATE_FILE, makePrivateFolder } from '../../shared/util/fileModes';

/** Says to all windows, and after a reload, that the user has stopped the local service. */
export class StopMark {
  constructor(private readonly folder: string) {}

  async set(): Promise<void> {
    await makePrivateFolder(this.folder);
    await writeFile(this.file, '', { mode: PRIVATE_FILE });
  }

  async remove(): Promise<void> {
    await removeFile(this.file);
  }

  exists(): Promise<boolean> {
    return stat(this.file).then(
      () => true,
      () => false,
    );
  }

  private get file(): string {
    return join(this.folder, 'stopped');
  }
}
