import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openMigrated } from '../../server/commands/prepare.ts'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { linkNewEvents } from '../../server/core/audit/chain.ts'
import { chainHash, eventMac } from '../../server/core/audit/event-mac.ts'
import { purgeEvents } from '../../server/core/audit/purge-events.ts'
import { recordEvent } from '../../server/core/audit/record-event.ts'
import { verifyChain } from '../../server/core/audit/verify-chain.ts'
import { findNewestProblem } from '../../server/core/audit/verify-newest.ts'
import { type Context, openContext } from '../../server/core/context.ts'
import { backUpDatabase } from '../../server/features/copies/back-up-database.ts'
import { rotateSecret } from '../../server/features/secret-rotation/rotate-secret.ts'
import { rotateSigningKey } from '../../server/features/tokens/rotate-signing-key.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { listUnsentEmails } from '../../server/platform/mail/failed-emails.ts'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { newSecret, runAccounts } from '../support/process.ts'
import { sendTestEmail } from '../support/send-email.ts'
import { type Service, startService } from '../support/service.ts'
import { mintToken, verifyToken } from '../support/service-tokens.ts'
import { enableTotp } from '../support/two-step.ts'
import { administratorWithOrganization, newEmail } from '../support/users.ts'

const runtime = {
  now: Date.now,
  randomBytes: (count: number) => crypto.getRandomValues(Buffer.alloc(count)),
  log: pino({ level: 'silent' }),
}

/** `npm run test:long` kills it more often. */
const isLong = Number(process.env.KILL_ROUNDS ?? 0) > 10

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`Replaced SECRET (${engine})`, () => {
    test('rotateSecret keeps tokens, sessions, emails and the audit log, and the old SECRET decrypts nothing', async (t) => {
      const old = newSecret()
      const both = { SECRET: newSecret(), PREVIOUS_SECRET: old }
      const first = await startService({ engine, environment: { SECRET: old } })
      t.after(() => first.stop())
      const user = await administratorWithOrganization(first)
      const early = await mintToken(first, user)
      const { secret } = await enableTotp(first, user)
      await rotateSigningKey(first.context)
      const kept = await verified(first.context)
      const emails = [await enqueue(first.context), await enqueue(first.context)]

      const second = await startService({ engine, beside: first, environment: both })
      t.after(() => second.stop())
      emails.push(await enqueue(second.context))
      await mintToken(second, user)
      await mintToken(first, user)
      await addEvents(second.context, 3)
      await addEvents(first.context, 3)
      await verified(second.context, kept)

      await rotateSecret(second.context)
      await verified(second.context, kept)
      await verifyToken(second, early)
      await verifyToken(second, await mintToken(second, user))
      assert.equal((await first.client().get('/readyz')).status, 503)

      const third = await startService({ engine, beside: first, environment: { SECRET: both.SECRET } })
      t.after(() => third.stop())
      await verified(third.context, kept)
      await verifyToken(third, early)
      await verifyToken(third, await mintToken(third, user))
      await addEvents(third.context, 3)
      await verified(third.context, kept)
      const { keyring, database } = third.context
      for (const id of emails)
        assert.match(keyring.decrypt('letter', await encryptedEmailOf(third.context, id)), /hello/)
      const step = await database.selectFrom('secondSteps').select('encryptedSecret').executeTakeFirstOrThrow()
      assert.equal(keyring.decrypt('second step', step.encryptedSecret ?? ''), secret.toString('base64url'))
      const { secretId } = first.context.keyring
      for (const table of ['signingKeys', 'outbox', 'secondSteps'] as const)
        assert.doesNotMatch(
          JSON.stringify(await database.selectFrom(table).selectAll().execute()),
          new RegExp(secretId),
        )
      await assert.rejects(open(third, { SECRET: old }), /SECRET is not the one/)
    })

    test('Two runs of rotateSecret keep the audit log and its stored chain heads verifiable', async (t) => {
      const secrets = [newSecret(), newSecret(), newSecret()] as const
      const service = await startService({ engine, environment: { SECRET: secrets[0] } })
      t.after(() => service.stop())
      await addEvents(service.context, 5)
      const kept = await verified(service.context)
      for (const [PREVIOUS_SECRET, SECRET] of [secrets.slice(0, 2), secrets.slice(1)] as [string, string][]) {
        const opened = await open(service, { SECRET, PREVIOUS_SECRET })
        t.after(() => opened.close())
        await rotateSecret(opened.context)
        await addEvents(opened.context, 5)
        await verified(opened.context, kept)
      }
      const opened = await open(service, { SECRET: secrets[2] })
      t.after(() => opened.close())
      await verified(opened.context, kept)
    })

    test('rotateSecret requires PREVIOUS_SECRET, and a start with the new SECRET is refused before it', async (t) => {
      const old = newSecret()
      const SECRET = newSecret()
      const service = await startService({ engine, environment: { SECRET: old } })
      t.after(() => service.stop())
      await assert.rejects(rotateSecret(service.context), /PREVIOUS_SECRET is missing/)
      await assert.rejects(open(service, { SECRET }), /SECRET is not the one/)
      const begun = await open(service, { SECRET, PREVIOUS_SECRET: old })
      t.after(() => begun.close())
      await assert.rejects(open(service, { SECRET }), /SECRET is being replaced, and the one before is still needed/)
      await assert.rejects(open(service, { SECRET: old }), /SECRET is not the one/)
      await rotateSecret(begun.context)
      await (await open(service, { SECRET })).close()
    })

    test('A start with SECRET and PREVIOUS_SECRET swapped is refused before, during and after a replacement', async (t) => {
      const [old, SECRET] = [newSecret(), newSecret()]
      const swapped = { SECRET: old, PREVIOUS_SECRET: SECRET }
      const service = await startService({ engine, environment: { SECRET: old } })
      t.after(() => service.stop())
      await assert.rejects(open(service, swapped), /Nothing in this database depends on PREVIOUS_SECRET.* are swapped/)
      const begun = await open(service, { SECRET, PREVIOUS_SECRET: old })
      t.after(() => begun.close())
      await assert.rejects(open(service, swapped), /one that PREVIOUS_SECRET has replaced: the two are swapped/)
      await rotateSecret(begun.context)
      await assert.rejects(open(service, swapped), /one that PREVIOUS_SECRET has replaced: the two are swapped/)
      await (await open(service, { SECRET, PREVIOUS_SECRET: old })).close()
      const generations = await service.context.database.selectFrom('secretGenerations').select('secretId').execute()
      assert.equal(generations.length, 2)
    })

    test('A start from before the generations of SECRET accepts the PREVIOUS_SECRET of its signing key', async (t) => {
      const [old, SECRET] = [newSecret(), newSecret()]
      const service = await startService({ engine, environment: { SECRET: old } })
      t.after(() => service.stop())
      await service.context.database.deleteFrom('secretGenerations').execute()
      for (const _ of ['first start', 'second start'])
        await (await open(service, { SECRET, PREVIOUS_SECRET: old })).close()
    })

    test('After rotateSecret, audit events that were added or changed with the old SECRET fail the verification', async (t) => {
      const old = newSecret()
      const SECRET = newSecret()
      const service = await startService({ engine, environment: { SECRET: old } })
      t.after(() => service.stop())
      await addEvents(service.context, 5)
      await verified(service.context)
      const begun = await open(service, { SECRET, PREVIOUS_SECRET: old })
      await rotateSecret(begun.context)
      await begun.close()
      const attacker = openContext(configOf(service, { SECRET: old }), runtime)
      t.after(() => attacker.close())
      const opened = await open(service, { SECRET })
      t.after(() => opened.close())
      await verified(opened.context)

      await recordEvent(attacker.context.database, attacker.context, OPERATOR, { action: 'user.banned' })
      await linkNewEvents(opened.context)
      assert.match((await verdict(opened.context)).problem ?? '', /not linked yet, was changed, or was not written/)
      await linkNewEvents(attacker.context)
      assert.match((await verdict(opened.context)).problem ?? '', /was changed, or was not written by this service/)
    })

    test('audit verify finds an old audit event that was changed with the old SECRET, even with recomputed hashes', async (t) => {
      const old = newSecret()
      const SECRET = newSecret()
      const service = await startService({ engine, environment: { SECRET: old } })
      t.after(() => service.stop())
      await addEvents(service.context, 5)
      const { sequence: lastSequence } = await verified(service.context)
      const begun = await open(service, { SECRET, PREVIOUS_SECRET: old })
      t.after(() => begun.close())
      await rotateSecret(begun.context)
      await linkNewEvents(begun.context)

      const { keyring, database } = service.context
      const events = await database.selectFrom('auditEvents').selectAll().orderBy('sequence').execute()
      let previousHash = ''
      for (const event of events.filter(({ sequence }) => sequence !== null && sequence <= lastSequence)) {
        const sequence = Number(event.sequence)
        const details = sequence === 2 ? '{"index":99}' : event.details
        const mac = eventMac(keyring, { ...event, details })
        const hash = chainHash(keyring, previousHash, sequence, mac)
        await database.updateTable('auditEvents').set({ details, mac, hash }).where('id', '=', event.id).execute()
        previousHash = hash
      }
      const opened = await open(service, { SECRET })
      t.after(() => opened.close())
      assert.match((await verdict(opened.context)).problem ?? '', /does not follow from event/)
    })

    test('After the documented procedure for a lost SECRET, the audit log verifies and is purged, and rotateSecret works', async (t) => {
      const environment = { AUDIT_RETENTION_DAYS: '30' }
      const service = await startService({ engine, environment })
      t.after(() => service.stop())
      await addEvents(service.context, 60)
      await linkNewEvents(service.context)
      service.advance(40 * DAY_MILLISECONDS)
      await addEvents(service.context, 5)
      await purgeEvents(service.context)
      await linkNewEvents(service.context)
      const emailId = await enqueue(service.context)
      for (const table of ['auditHead', 'auditStart'] as const)
        assert.equal((await service.context.database.selectFrom(table).select('id').execute()).length, 1, table)

      const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
      const [, statements] = /```sql\n(delete from "secretGenerations";[^`]+)```/.exec(operations) ?? []
      for (const statement of statements?.trim().split('\n') ?? [])
        await sql.raw(statement).execute(service.context.database)
      assert.equal(await encryptedEmailOf(service.context, emailId), '')
      const failed = await listUnsentEmails(service.context.database, { now: Date.now(), isFailed: true, limit: 10 })
      assert.deepEqual(
        failed.map(({ id }) => id),
        [emailId],
      )
      const secrets = { SECRET: newSecret() }
      const second = await startService({ engine, beside: service, environment: { ...environment, ...secrets } })
      t.after(() => second.stop())
      second.advance(40 * DAY_MILLISECONDS)
      await addEvents(second.context, 5)
      await verified(second.context)
      assert.equal(await findNewestProblem(second.context), undefined)

      second.advance(40 * DAY_MILLISECONDS)
      await purgeEvents(second.context)
      // The first event is about the signing key of the new SECRET.
      assert.equal((await verdict(second.context)).purgedUpTo, 1 + 5)
      const opened = await open(service, { SECRET: newSecret(), PREVIOUS_SECRET: secrets.SECRET })
      t.after(() => opened.close())
      await rotateSecret(opened.context)
      await verified(opened.context)
    })

    test('rotateSecret that is killed again and again continues and loses nothing', async (t) => {
      const seed = randomInt(2 ** 31)
      t.diagnostic(`seed ${seed}`)
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      const [old, SECRET] = [newSecret(), newSecret()]
      const before = await openMigrated(readConfig({ DATABASE_URL: testDatabase.url, SECRET: old }), runtime)
      t.after(() => before.close())
      const { context } = before
      for (let count = 0; count < 4; count += 1)
        await rotateSigningKey({ ...context, now: () => Date.now() + count * 3_600_000 })
      const ids = await Promise.all(Array.from({ length: 300 }, () => enqueue(context)))
      await addEvents(context, 20)
      const kept = await verified(context)
      await addEvents(context, 300)

      const environment = { DATABASE_URL: testDatabase.url, SECRET, PREVIOUS_SECRET: old }
      const oldId = context.keyring.secretId
      const goals = (isLong ? [5, 4, 3, 2, 1] : [4, 2]).map((round) => round * 50 + ((seed >> (round * 6)) % 50))
      let kills = 0
      for (const goal of [...goals, 0]) {
        const { child, ended, output } = runAccounts(['keys', 'rotate-secret'], environment)
        while (child.exitCode === null && (await remaining(context, oldId)) > goal) await pause(1)
        kills += child.kill('SIGKILL') ? 1 : 0
        // The command ended before the kill.
        if ((await ended) === 0) break
        assert.equal(child.signalCode, 'SIGKILL', output())
        const opened = await openMigrated(readConfig(environment), runtime)
        await verified(opened.context, kept)
        await opened.close()
      }
      assert.ok(kills > 0)
      const rotation = runAccounts(['keys', 'rotate-secret'], environment)
      assert.equal(await rotation.ended, 0)
      assert.match(rotation.output(), /Make a backup, and store SECRET .+: earlier backups need PREVIOUS_SECRET/)
      const after = await openMigrated(readConfig({ DATABASE_URL: testDatabase.url, SECRET }), runtime)
      t.after(() => after.close())
      await verified(after.context, kept)
      for (const id of ids)
        assert.match(after.context.keyring.decrypt('letter', await encryptedEmailOf(after.context, id)), /hello/)
      for (const { encryptedPrivateJwk } of await after.context.database
        .selectFrom('signingKeys')
        .selectAll()
        .execute())
        after.context.keyring.decrypt('signing key', encryptedPrivateJwk)
    })
  })
}

test('After rotateSecret, the free space of a SQLite file and of its backup has no text under the old SECRET', async (t) => {
  const [old, SECRET] = [newSecret(), newSecret()]
  const testDatabase = await createMigratedDatabase('sqlite')
  t.after(() => testDatabase.drop())
  const path = testDatabase.url.slice('sqlite:'.length)
  const before = await openMigrated(readConfig({ DATABASE_URL: testDatabase.url, SECRET: old }), runtime)
  for (let count = 0; count < 4; count += 1)
    await rotateSigningKey({ ...before.context, now: () => Date.now() + count * 3_600_000 })
  for (let count = 0; count < 100; count += 1) await enqueue(before.context)
  await before.close()
  const encrypted = new RegExp(`${before.context.keyring.secretId}\\.[\\w-]{16}\\.`)
  assert.match(readFileSync(path, 'latin1'), encrypted)

  const opened = await openMigrated(
    readConfig({ DATABASE_URL: testDatabase.url, SECRET, PREVIOUS_SECRET: old }),
    runtime,
  )
  await rotateSecret(opened.context)
  const backup = `${path}.backup`
  await backUpDatabase(opened.context, backup, () => {})
  await opened.close()
  for (const file of [path, backup]) assert.doesNotMatch(readFileSync(file, 'latin1'), encrypted, file)
})

function enqueue(context: Context): Promise<string> {
  const message = { recipient: newEmail(), subject: 'hello', heading: '', paragraphs: [], footnote: '' }
  return sendTestEmail(context, { kind: 'test email', ...message })
}

async function encryptedEmailOf({ database }: Context, id: string): Promise<string> {
  const row = await database
    .selectFrom('outbox')
    .select('encryptedEmail')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.encryptedEmail ?? ''
}

async function addEvents(context: Context, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await recordEvent(context.database, context, OPERATOR, { action: 'user.updated', details: { index } })
}

async function verdict(context: Context, known?: { sequence: number; hash: string }) {
  return verifyChain(context, known, () => {})
}

/** Links new audit events and verifies the chain, including a stored chain head. @returns the new chain head */
async function verified(context: Context, kept?: { sequence: number; hash: string }) {
  await linkNewEvents(context)
  const { head, problem } = await verdict(context, kept)
  assert.equal(problem, undefined)
  return head
}

/** Counts the emails that are still encrypted with a SECRET. */
async function remaining({ database }: Context, secretId: string): Promise<number> {
  const rows = await database.selectFrom('outbox').select('encryptedEmail').execute()
  return rows.filter(({ encryptedEmail }) => encryptedEmail?.startsWith(secretId)).length
}

function configOf({ config: { database } }: Service, secrets: { SECRET: string; PREVIOUS_SECRET?: string }) {
  const DATABASE_URL = database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url
  return readConfig({ DATABASE_URL, ...secrets })
}

function open(service: Service, secrets: { SECRET: string; PREVIOUS_SECRET?: string }) {
  return openMigrated(configOf(service, secrets), runtime)
}
