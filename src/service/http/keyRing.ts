import { createHash, timingSafeEqual } from 'node:crypto';
import type { ServiceInput } from '../../shared/protocol/localService';

/** The keys that the service accepts, kept as hashes alone. */
export class KeyRing {
  private readonly keys: readonly { hash: Buffer; projects: readonly string[] | undefined }[];

  constructor(keys: ServiceInput['keys']) {
    this.keys = keys.map(({ key, projects }) => ({ hash: sha256(key), projects }));
  }

  /**
   * What the key in an `Authorization` header opens, or undefined when it is missing or not one of these. Each key is
   * compared, in constant time.
   */
  find(authorization: string | undefined): OpenedDoor | undefined {
    const presented = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
    const hash = sha256(presented ?? '');
    let found: OpenedDoor | undefined;
    for (const key of this.keys) {
      if (timingSafeEqual(key.hash, hash)) {
        const { projects } = key;
        found = {
          opens: (projectId) => projects === undefined || projects.includes(projectId),
          opensAll: projects === undefined,
        };
      }
    }
    return presented === undefined ? undefined : found;
  }
}

/** What a key that is right lets in to. */
export interface OpenedDoor {
  opens(projectId: string): boolean;
  /** True for a key that is for the whole service and not for single projects. */
  opensAll: boolean;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
