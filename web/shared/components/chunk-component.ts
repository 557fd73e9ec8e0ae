import { type ComponentType, lazy } from 'react'
import { loadChunk } from '../api/load-chunk.ts'

export type ChunkComponent<Props> = {
  /** Loads the chunk before the first render. */
  preload: () => Promise<void>
  /** The loaded component. Without a preload, it is loaded when it is rendered. */
  read: () => ComponentType<Props>
}

/**
 * A component in a chunk. React shows a fallback for at least 300 ms, also if the chunk arrives sooner. So the chunks of
 * the first page are loaded before it is rendered.
 */
export function chunkComponent<Props>(load: () => Promise<ComponentType<Props>>): ChunkComponent<Props> {
  let component: ComponentType<Props> = lazyComponent(load)
  return {
    preload: async () => {
      component = await load()
    },
    read: () => component,
  }
}

/** A component in a chunk that is loaded when it is rendered. */
export function lazyComponent<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazy(async () => ({ default: await loadChunk(load) }))
}
