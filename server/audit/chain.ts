import type { Context } from '../context.ts'
import { type RepeatedWork, repeat } from '../repeat.ts'
import { chainHash, headMac } from './entry-mac.ts'
import { advanceHead, findHead, linkEvent, listUnchained } from './store.ts'

const POLL_MILLISECONDS = 500
const ENTRIES_AT_ONCE = 100
const COMPLAINT = 'the audit record could not be chained'

/**
 * Links new entries of the audit record to the ones before, some moments after they were written: so nobody who writes
 * one waits for another, as they would if each held the end of the chain until its transaction is over. Any number of
 * processes may do it; moving the head decides whose batch counts.
 */
export function createChainer(context: Context): RepeatedWork {
  const link = () => linkNewEntries(context)
  const linking = repeat(context, POLL_MILLISECONDS, COMPLAINT, link)
  return {
    start: linking.start,
    /** Links what is left, too. */
    async stop() {
      await linking.stop()
      await link().catch((error) => context.log.error({ err: error }, COMPLAINT))
    },
  }
}

/** Links every entry that is committed and not yet linked. */
export async function linkNewEntries(context: Context): Promise<void> {
  while (await linkBatch(context)) {}
}

/** @returns whether there may be more to do */
async function linkBatch({ database, sealer }: Context): Promise<boolean> {
  const head = await findHead(database)
  const waiting = await listUnchained(database, ENTRIES_AT_ONCE)
  if (waiting.length === 0) return false

  let { sequence, hash } = head
  const links = waiting.map(({ id, mac }) => {
    sequence += 1
    hash = chainHash(sealer, hash, sequence, mac)
    return { id, sequence, hash }
  })
  const next = { sequence, hash, mac: headMac(sealer, sequence, hash) }
  await database.transaction().execute(async (transaction) => {
    // Another process may have linked the same entries meanwhile: then this batch is not needed.
    if (!(await advanceHead(transaction, head.sequence, next))) return
    for (const entry of links) await linkEvent(transaction, entry)
  })
  return true
}
