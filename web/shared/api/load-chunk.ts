import { waitForNextPage } from './next-page.ts'

/** The code of a page could not be loaded. */
export class ChunkFailed extends Error {
  override name = 'ChunkFailed'
}

export function loadChunk<Chunk>(load: () => Promise<Chunk>): Promise<Chunk> {
  return load().catch(async (cause: unknown) => {
    await waitForNextPage()
    throw new ChunkFailed('The browser could not load a script of this page.', { cause })
  })
}
