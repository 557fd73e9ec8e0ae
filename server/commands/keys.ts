import type { Context } from '../core/context.ts'
import { rotateSecret } from '../features/secret-rotation/rotate-secret.ts'
import { listSigningKeys } from '../features/tokens/list-signing-keys.ts'
import { rotateSigningKey } from '../features/tokens/rotate-signing-key.ts'
import { withdrawSigningKey } from '../features/tokens/withdraw-signing-key.ts'
import { toIso } from '../platform/http/time.ts'
import { type Command, CommandError } from './command.ts'
import { openMigrated } from './prepare.ts'

const HELP = `Usage: npm run accounts -- keys list
       npm run accounts -- keys rotate
       npm run accounts -- keys withdraw ID
       npm run accounts -- keys rotate-secret

list           Lists the keys that sign tokens, or did, or will: id, state, and from when on they sign.
rotate         Makes the next key. It is published at once and signs ten minutes later, when every service has had time
               to fetch it; the one before it stays published until its last token has expired. Nothing has to be
               restarted. While a rotation is under way, another one changes nothing.
withdraw       Takes a key out at once, because its private half may be known. It is published no more and signs nothing
               more, and a new key signs. Tokens that it signed are refused as soon as a service fetches the keys again,
               within five minutes. Until callers fetch a new token, their requests fail.
rotate-secret  Encrypts and signs everything at rest anew, under SECRET instead of PREVIOUS_SECRET. Every process needs
               both before. Services go on beside it, and after an interruption it can be run again. "Replacing SECRET"
               in docs/operations.md has each step.`

const ACTIONS: Record<string, (context: Context, id: string | undefined) => Promise<void>> = {
  list,
  rotate,
  withdraw,
  'rotate-secret': renewSecret,
}

export const keysCommand: Command = {
  summary: 'List, rotate and withdraw the keys that sign tokens; rotate SECRET',
  help: HELP,
  async run(config, world, commandArguments) {
    const [name = '', id, ...rest] = commandArguments
    const action = ACTIONS[name]
    if (!action || rest.length > 0 || (id !== undefined) !== (name === 'withdraw')) throw new CommandError(HELP)
    const { context, close } = await openMigrated(config, world)
    try {
      await action(context, id)
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

async function withdraw(context: Context, id = ''): Promise<void> {
  const withdrawal = await withdrawSigningKey(context, id)
  if (withdrawal.outcome === 'not found')
    throw new CommandError(`There is no key ${id}: npm run accounts -- keys list shows them.`)
  if (withdrawal.outcome === 'already withdrawn') return console.log(`${id} was withdrawn before.`)
  console.log(
    `${id} is withdrawn. Its tokens are refused as soon as services fetch the keys again, within five minutes.`,
  )
  const { replacement } = withdrawal
  if (replacement) console.log(`${replacement.id} is published and signs from ${toIso(replacement.activeAt)}.`)
}

async function renewSecret(context: Context): Promise<void> {
  const { damagedEmailCount } = await rotateSecret(context)
  console.log('Everything is encrypted and signed under SECRET now. Remove PREVIOUS_SECRET and restart every process.')
  if (damagedEmailCount > 0) console.log(`${damagedEmailCount} waiting emails are damaged and stayed as they are.`)
}
