import { parseArgs } from 'node:util'
import { linkNewEvents } from '../core/audit/chain.ts'
import { type KnownHead, verifyChain } from '../core/audit/verify-chain.ts'
import { type Command, CommandError } from './command.ts'
import { openMigrated } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- audit verify [--head SEQUENCE:HASH]

Checks every entry of the audit record and its link to the one before, and names the first one that was changed, removed
or inserted. Exits with 1 when there is one. It prints the head of the chain: keep it somewhere else, and give it back
with --head later, and even a record that was cut short or replaced as a whole is found out.`

export const auditCommand: Command = {
  summary: 'Check that nobody touched the audit record',
  help: HELP,
  async run(config, world, commandArguments) {
    const known = parse(commandArguments)
    const { context, close } = await openMigrated(config, world)
    try {
      // What was written in the last moments, should no server be running that links it.
      await linkNewEvents(context)
      const { head, problem, purgedUpTo } = await verifyChain(context, known, (done, total) =>
        drawProgress('Checked', done, total),
      )
      if (problem) throw new CommandError(`The audit record was touched. ${problem}`)
      console.log(`The audit log is whole: ${head.sequence - purgedUpTo} events.`)
      if (purgedUpTo > 0) console.log(`Purged by AUDIT_RETENTION_DAYS: the events up to ${purgedUpTo}.`)
      if (known && known.sequence < purgedUpTo)
        console.log(`The head that you kept, ${known.sequence}, was purged: there is nothing left to compare it with.`)
      if (head.sequence > 0) console.log(`Its head, to keep elsewhere: ${head.sequence}:${head.hash}`)
    } finally {
      await close()
    }
  },
}

function parse(commandArguments: string[]): KnownHead | undefined {
  try {
    const options = { head: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: commandArguments, options, allowPositionals: true })
    if (positionals.join(' ') !== 'verify') throw new CommandError('The one thing to do here is verify.')
    if (values.head === undefined) return undefined
    const [, sequence, hash] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(values.head) ?? []
    if (!sequence || !hash) throw new CommandError('--head is not of the form that this command prints.')
    return { sequence: Number(sequence), hash }
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${HELP}`)
  }
}
