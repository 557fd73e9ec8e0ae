import { openContext } from '../context.ts'
import { migrate } from '../database/migrate.ts'
import { toIso } from '../http/time.ts'
import { listSigningKeys } from '../tokens/list-signing-keys.ts'
import { type Command, CommandError } from './command.ts'

const HELP = `Usage: npm run accounts -- keys list

Lists the keys that sign tokens, or did: id, state, and since when.`

export const keysCommand: Command = {
  summary: 'List the keys that sign tokens',
  help: HELP,
  async run(config, world, commandArguments) {
    if (commandArguments.join(' ') !== 'list') throw new CommandError(HELP)
    const { context, close } = openContext(config, world)
    try {
      await migrate(context.database)
      const keys = await listSigningKeys(context)
      if (keys.length === 0) console.log('There is no key yet: the first start makes one.')
      for (const { id, state, activeAt } of keys) console.log(`${id}  ${state.padEnd(8)}  since ${toIso(activeAt)}`)
    } finally {
      await close()
    }
  },
}
