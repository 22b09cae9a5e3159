const LINUX = ['bwrap', 'socat', 'rg'];

/** The programs that `srt` of @anthropic-ai/sandbox-runtime stands on; undefined on a system where it is not used. */
export function sandboxNeeds(platform: NodeJS.Platform = process.platform): readonly string[] | undefined {
  return platform === 'linux' ? LINUX : platform === 'darwin' ? [] : undefined;
}
