import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendTestEmail } from '../../../test/support/send-email.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { newEmail } from '../../../test/support/users.ts'
import { setPasswordEmail } from '../../features/account/email/emails.ts'
import { discardEmails } from './outbox.ts'

onEachDatabase('discardEmails', (service) => {
  test('discardEmails gives waiting emails up, leaves the reasons of failed ones, and deletes the texts of both', async () => {
    const { context } = service()
    const send = () => sendTestEmail(context, setPasswordEmail(newEmail(), 'https://accounts.example.com/', false))
    const [waiting, failed] = [await send(), await send()]
    const read = async (id: string) => {
      const { lastError, encryptedEmail } = await context.database
        .selectFrom('outbox')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return [lastError, encryptedEmail]
    }
    const failure = { failedAt: context.now(), lastError: '550 No such user' }
    await context.database.updateTable('outbox').set(failure).where('id', '=', failed).execute()
    assert.equal(await discardEmails(context.database, context.now(), 'restored from a backup'), 1)
    const [reason, text] = await read(waiting)
    assert.match(reason ?? '', /restored from a backup$/)
    assert.equal(text, null)
    assert.deepEqual(await read(failed), ['550 No such user', null])
  })
})
