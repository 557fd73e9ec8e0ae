import type { Context } from '../core/context.ts'
import { rotateSecret } from '../features/secret-rotation/rotate-secret.ts'
import { listSigningKeys } from '../features/tokens/list-signing-keys.ts'
import { rotateSigningKey } from '../features/tokens/rotate-signing-key.ts'
import { withdrawSigningKey } from '../features/tokens/withdraw-signing-key.ts'
import { toIso } from '../platform/http/time.ts'
import { refuseArguments, wrongUse } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { openExisting } from './prepare.ts'

const HELP = `Usage: npm run accounts -- keys list
       npm run accounts -- keys rotate
       npm run accounts -- keys withdraw ID
       npm run accounts -- keys rotate-secret

list           Lists the past, current and next signing keys: id, state, and when they begin to sign.
rotate         Creates the next signing key, for RS256 and ES256. It is published immediately and signs ten minutes later,
               after every service has fetched it. The previous key stays published until its last token has expired. No
               restart is needed. If a rotation has begun, this command changes nothing.
withdraw       Withdraws a key immediately, because its private key may be known. It is no longer published and no longer
               signs, and a new key signs. Services refuse its tokens after they fetch the keys again, within five
               minutes. Requests with such a token fail until the client fetches a new one.
rotate-secret  Encrypts and signs all stored data under SECRET instead of PREVIOUS_SECRET. Every process needs both
               settings before. Services continue to run, and after an interruption it can be run again. "Replacing
               SECRET" in docs/operations.md has each step.`

type Action = (context: Context, id: string | undefined) => Promise<void>

const ACTIONS: Record<string, Action> = {
  list,
  rotate,
  withdraw,
  'rotate-secret': renewSecret,
}

export const keysCommand: Command = {
  summary: 'List, rotate and withdraw the keys that sign tokens; rotate SECRET',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const { action, id } = parse(commandArguments)
    const { context, close } = await openExisting(config, runtime)
    await action(context, id).finally(close)
  },
}

function parse([name, ...words]: string[]): { action: Action; id: string | undefined } {
  const action = name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (!action)
    throw wrongUse(name ? `There is no "keys ${name}".` : `One of ${Object.keys(ACTIONS).join(', ')} is needed.`, HELP)
  const [id, ...rest] = words
  refuseArguments(name === 'withdraw' ? rest : words, HELP)
  if (name === 'withdraw' && id === undefined)
    throw wrongUse('withdraw needs the ID of a key. keys list shows the IDs.', HELP)
  return { action, id }
}

async function list(context: Context): Promise<void> {
  const keys = await listSigningKeys(context)
  if (keys.length === 0) console.log('There is no signing key yet: the first start creates one.')
  for (const { id, state, activeAt } of keys)
    console.log(`${id}  ${state.padEnd('withdrawn'.length)}  from ${toIso(activeAt)}`)
}

async function rotate(context: Context): Promise<void> {
  const { next, isNew } = await rotateSigningKey(context)
  const when = `signs from ${toIso(next.activeAt)}`
  console.log(isNew ? `${next.id} is published and ${when}.` : `A rotation has already begun: ${next.id} ${when}.`)
}

async function withdraw(context: Context, kid = ''): Promise<void> {
  // The ES256 key of a pair has the id of the pair with this ending.
  const id = kid.replace(/-es256$/, '')
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
  console.log(
    'Everything is encrypted and signed under SECRET now. Make a backup, and store SECRET where its backups are restored: earlier backups need PREVIOUS_SECRET. Then remove PREVIOUS_SECRET and restart every process.',
  )
  if (damagedEmailCount > 0) console.log(`${damagedEmailCount} waiting emails are damaged and stay unchanged.`)
}
