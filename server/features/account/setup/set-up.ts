import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import type { Device } from '../../../core/devices/device.ts'
import { asUser, inTransaction } from '../../../core/in-transaction.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { revokeFormerUnlessOwn } from '../../../core/sessions/revoke-session.ts'
import { type SignedIn, startSession } from '../../../core/sessions/start-session.ts'
import {
  consumeToken,
  createToken,
  findUsableToken,
  revokeTokens,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { createUser } from '../../../core/users/create-user.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { hasAdmin } from '../../../core/users/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** Earlier links stay valid, because the operator may have one of them open. */
export function createSetupLink(context: Context): Promise<string | undefined> {
  return context.database.transaction().execute(async (transaction) => {
    if (await hasAdmin(transaction)) return undefined
    const token = await createToken(transaction, context, 'set up', { userId: null, data: {} })
    // Browsers send no fragment to servers, so no log contains the token.
    return `${context.config.baseUrl}/setup#${token}`
  })
}

interface Setup {
  token: string
  name: string
  email: string
  password: string
  formerToken: string | undefined
  device: Device
}

/** @throws ApiError SETUP_ALREADY_DONE; INVALID_TOKEN; INVALID_EMAIL; PASSWORD_…; USER_ALREADY_EXISTS */
export async function setUp(context: Context, actor: Actor, input: Setup): Promise<SignedIn> {
  const { database, config, passwords, now } = context
  const email = parseEmailAddress(input.email)
  // Checked before the hashing, so that an invalid token costs no hashing.
  await assertMaySetUp(database, await findUsableToken(database, now(), 'set up', input.token))
  const facts = { email, name: input.name, organizationNames: [] }
  const passwordHash = await passwords.hash(await parseNewPassword(config, facts, input.password))

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    await assertMaySetUp(transaction, await consumeToken(transaction, now(), 'set up', input.token))
    await revokeTokens(transaction, null, ['set up'])
    const admin = { name: input.name, email, emailVerified: true, role: 'admin', origin: 'setup' } as const
    const user = await createUser(unit, admin)
    await setPasswordHash(transaction, context, user.id, passwordHash)
    await revokeFormerUnlessOwn(unit, user.id, input.formerToken)
    const started = await startSession(asUser(unit, user.id), {
      userId: user.id,
      rememberMe: true,
      device: input.device,
      authenticationMethods: AUTHENTICATION_METHODS.password,
    })
    return { ...started, user }
  })
}

async function assertMaySetUp(database: Kysely<Tables>, token: UsableToken<'set up'> | undefined): Promise<void> {
  // First, because a used link has an administrator, and a restart prints no other link then.
  if (await hasAdmin(database)) throw new ApiError('SETUP_ALREADY_DONE')
  if (!token) throw new ApiError('INVALID_TOKEN', { field: 'token' })
}
