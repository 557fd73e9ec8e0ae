// biome-ignore lint/correctness/useYield: the type of Kysely is a generator.
export async function* refuseStreaming(): AsyncIterableIterator<never> {
  throw new Error('Streaming is not supported')
}
