import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { openMigrated } from '../../../server/commands/prepare.ts'
import type { Context } from '../../../server/core/context.ts'
import { createRandomUser } from '../../../server/core/users/create-random-user.ts'
import { SECRET_BYTES } from '../../../server/features/account/two-step/totp.ts'
import { createSigningKeys } from '../../../server/features/tokens/signing-keys.ts'
import { readConfig } from '../../../server/platform/config/config.ts'
import { PASSWORD } from '../../population.ts'
import { seedAuditEvents } from './audit-events.ts'
import { openSeeder, type Seeder } from './engines.ts'
import { listStatements } from './statements.ts'

const NAMES = 2_000
/** Of all users with a second step. */
const TOTP_SECRET = Buffer.alloc(SECRET_BYTES, 'scale')

/** Creates the tables by the migrations, and fills them. */
export async function seed(environment: Record<string, string>, users: number): Promise<void> {
  const config = readConfig(environment)
  const { context, close } = await openMigrated(config, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
  await createSigningKeys(context).ensure()
  const inserts = listStatements({ users, names: NAMES, now: context.now(), ...(await secrets(context)) })
  await close()
  const tables = new Set([...inserts.map(({ table }) => table), 'auditEvents', 'auditHead'])
  const seeder = await openSeeder(config.database, [...tables])
  await seedNames(context, seeder)
  for (const { statement } of inserts) await seeder.run(statement)
  await seeder.run('drop table names')
  await seedAuditEvents(context, seeder, users)
  await seeder.finish()
}

async function secrets({ passwords, keyring }: Context) {
  return {
    passwordHash: await passwords.hash(PASSWORD),
    encryptedSecret: keyring.encrypt('second step', TOTP_SECRET.toString('base64url')),
  }
}

/** The names that the users have, with the beginnings of their email addresses. */
async function seedNames(context: Context, seeder: Seeder): Promise<void> {
  await seeder.run('create table names (k integer primary key, name text, email text)')
  const rows = Array.from({ length: NAMES }, (_nothing, k) => {
    const { name, email } = createRandomUser(context, 0, 0)
    return { k, name, email: email.split('.').slice(0, 2).join('.') }
  })
  await seeder.insert('names', rows)
}
