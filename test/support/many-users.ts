import { OPERATOR } from '../../server/core/audit/actor.ts'
import { setPasswordHash } from '../../server/core/credentials/password-store.ts'
import { inTransaction } from '../../server/core/in-transaction.ts'
import { createUser } from '../../server/core/users/create-user.ts'
import type { Service } from './service.ts'
import { newEmail, PASSWORD } from './users.ts'

/** Creates users with a verified address and the password of all test users. @returns their addresses */
export async function newUsers({ context }: Service, count: number): Promise<string[]> {
  const passwordHash = await context.passwords.hash(PASSWORD)
  return inTransaction(context, OPERATOR, async (unit) => {
    const emails: string[] = []
    for (let index = 0; index < count; index += 1) {
      const email = newEmail()
      const user = { name: 'Paula Parker', email, emailVerified: true, origin: 'staff' } as const
      const { id } = await createUser(unit, user)
      await setPasswordHash(unit.transaction, context, id, passwordHash)
      emails.push(email)
    }
    return emails
  })
}
