import { linkNewEvents } from '../core/audit/chain.ts'
import type { ChainPosition } from '../core/audit/chain-ends-store.ts'
import { countUnlinked } from '../core/audit/store.ts'
import { verifyChain } from '../core/audit/verify-chain.ts'
import type { Context } from '../core/context.ts'
import { toOneLine } from '../platform/one-line.ts'
import { readArguments, refuseArguments, wrongUse } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { openExisting } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- audit verify [--head SEQUENCE:HASH]

Verifies every event of the audit log and its link to the previous one, and names the first event that was changed,
removed or inserted. Exits with 1 if there is one. Prints the head of the chain: store it elsewhere, and pass it with
--head later, to detect a log that was shortened or replaced.`

export const auditCommand: Command = {
  summary: 'Verify that the audit log was not tampered with',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const known = parse(commandArguments)
    const { context, close } = await openExisting(config, runtime)
    try {
      await linkWaiting(context)
      const { head, problem, purgedUpTo } = await verifyChain(context, known, (done, total) =>
        drawProgress('Checked', done, total),
      )
      // A changed row may have any id, also with control characters.
      if (problem) throw new CommandError(`The audit log was tampered with. ${toOneLine(problem)}`)
      const count = head.sequence - purgedUpTo
      console.log(`The audit log is whole: ${count} ${count === 1 ? 'event' : 'events'}.`)
      if (purgedUpTo > 0) console.log(`Purged by AUDIT_RETENTION_DAYS: the events up to ${purgedUpTo}.`)
      if (known && known.sequence < purgedUpTo)
        console.log(`The head that you stored, ${known.sequence}, was purged, so it can't be compared.`)
      if (head.sequence > 0) console.log(`Its head, to store elsewhere: ${head.sequence}:${head.hash}`)
    } finally {
      await close()
    }
  },
}

/** Without a running service, the last events are not linked yet. */
async function linkWaiting(context: Context): Promise<void> {
  const total = await countUnlinked(context.database)
  await linkNewEvents(context, undefined, (done) => drawProgress('Linked', done, Math.max(done, total)))
}

function parse(commandArguments: string[]): ChainPosition | undefined {
  const { values, positionals } = readArguments(commandArguments, { head: { type: 'string' } }, HELP)
  const [action, ...rest] = positionals
  if (action !== 'verify') throw wrongUse(action ? `There is no "audit ${action}".` : 'verify is needed.', HELP)
  refuseArguments(rest, HELP)
  if (values.head === undefined) return undefined
  const [, sequence, hash] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(values.head) ?? []
  if (!sequence || !hash)
    throw wrongUse('--head must be the whole head that this command prints: a number, a colon and 43 characters.', HELP)
  return { sequence: Number(sequence), hash }
}
