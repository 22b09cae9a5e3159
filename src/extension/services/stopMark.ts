import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Says to all windows, and after a reload, that the user has stopped the local service. */
export class StopMark {
  constructor(private readonly folder: string) {}

  async set(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(this.file, '', { mode: 0o600 });
  }

  async remove(): Promise<void> {
    await rm(this.file, { force: true });
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
