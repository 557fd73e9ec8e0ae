/** The code of a page could not be loaded. */
export class ChunkFailed extends Error {
  override name = 'ChunkFailed'
}

/** Loads a part of the pages. */
export function loadChunk<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  return load().catch((cause: unknown) => {
    throw new ChunkFailed('The browser could not load a script of this page.', { cause })
  })
}
