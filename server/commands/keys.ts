import { type Context, openContext } from '../context.ts'
import { migrate } from '../database/migrate.ts'
import { toIso } from '../http/time.ts'
import { listSigningKeys } from '../tokens/list-signing-keys.ts'
import { rotateSigningKey } from '../tokens/rotate-signing-key.ts'
import { type Command, CommandError } from './command.ts'

const HELP = `Usage: npm run accounts -- keys list
       npm run accounts -- keys rotate

list    Lists the keys that sign tokens, or did, or will: id, state, and from when on they sign.
rotate  Makes the next key. It is published at once and signs ten minutes later, when every service has had time to
        fetch it; the one before it stays published until its last token has expired. Nothing has to be restarted.
        While a rotation is under way, another one changes nothing.`

const ACTIONS: Record<string, (context: Context) => Promise<void>> = { list, rotate }

export const keysCommand: Command = {
  summary: 'List the keys that sign tokens, or make the next one',
  help: HELP,
  async run(config, world, commandArguments) {
    const action = ACTIONS[commandArguments.join(' ')]
    if (!action) throw new CommandError(HELP)
    const { context, close } = openContext(config, world)
    try {
      await migrate(context.database)
      await action(context)
    } finally {
      await close()
    }
  },
}

async function list(context: Context): Promise<void> {
  const keys = await listSigningKeys(context)
  if (keys.length === 0) console.log('There is no key yet: the first start makes one.')
  for (const { id, state, activeAt } of keys) console.log(`${id}  ${state.padEnd(8)}  from ${toIso(activeAt)}`)
}

async function rotate(context: Context): Promise<void> {
  const { next, isNew } = await rotateSigningKey(context)
  const when = `signs from ${toIso(next.activeAt)}`
  console.log(isNew ? `${next.id} is published and ${when}.` : `A rotation is under way already: ${next.id} ${when}.`)
}
