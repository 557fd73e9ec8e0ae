import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDelivery } from '../../../../test/support/delivery.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { startSmtpScript } from '../../../../test/support/smtp-script.ts'
import {
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  signedIn,
  signUp,
  type TestMember,
} from '../../../../test/support/users.ts'
import { listUnsentInvitationIdsOf } from '../../../core/invitations/inviter-store.ts'
import { parseSmtpUrl } from '../../../platform/config/smtp-server.ts'
import type { OutboxRow } from '../../../platform/database/tables.ts'
import { createDelivery } from '../../../platform/mail/delivery.ts'

const ORGANIZATION = '/api/auth/organization'
const ADMIN = '/api/auth/admin'
const DAY = 86_400_000

interface Entry {
  event: string
  at: string
  answer: string | null
}

async function timeline({ client, organization }: TestMember, invitationId: string): Promise<Entry[]> {
  const { body } = await client.get(`${ORGANIZATION}/list-invitations?organizationId=${organization.id}`)
  return body.invitations.find(({ id }: { id: string }) => id === invitationId).timeline
}

async function events(inviter: TestMember, invitationId: string): Promise<string[]> {
  return (await timeline(inviter, invitationId)).map(({ event }) => event)
}

onEachDatabase('Invitation timeline', (service) => {
  test('The last event of an invitation of a clock that was a year ahead is its expiry', async () => {
    const founder = await administratorWithOrganization(service())
    const { invitationId } = await invite(service(), founder)
    const { database } = service().context
    const year = 365 * DAY
    await database
      .updateTable('invitations')
      .set(({ eb }) => ({ createdAt: eb('createdAt', '+', year), expiresAt: eb('expiresAt', '+', year) }))
      .where('id', '=', invitationId)
      .execute()
    await database
      .updateTable('outbox')
      .set(({ eb }) => ({ createdAt: eb('createdAt', '+', year) }))
      .where('subjectId', '=', invitationId)
      .execute()
    assert.deepEqual(await events(founder, invitationId), ['queued', 'expired'])
  })

  test("The timeline has the email, the mail server's response and the later events of the invitation", async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    assert.deepEqual(await events(founder, invited.invitationId), ['queued'])
    sink.refuseWith(451)
    await delivery.deliverDue()
    const [, delayed] = await timeline(founder, invited.invitationId)
    assert.equal(delayed?.event, 'delayed')
    assert.match(delayed?.answer ?? '', /^451 /)

    sink.refuseWith(undefined)
    service().advance(60_000)
    await delivery.deliverDue()
    const sent = (await timeline(founder, invited.invitationId)).at(-1)
    assert.equal(sent?.event, 'sent')
    assert.match(sent?.answer ?? '', /^250 /)
    assert.ok(Date.parse(sent?.at ?? '') > Date.parse(delayed?.at ?? ''))

    const invitee = await signUp(service(), invited)
    await service().client().get(invited.linkPath)
    await invitee.client.post(`${ORGANIZATION}/accept-invitation`, { invitationId: invited.invitationId })
    const all = await timeline(founder, invited.invitationId)
    assert.deepEqual(
      all.map(({ event }) => event),
      ['queued', 'sent', 'opened', 'signed up', 'accepted'],
    )
    assert.deepEqual(
      all.map(({ at }) => at).toSorted(),
      all.map(({ at }) => at),
    )
  })

  test('The timeline has failed and delayed emails without the name of the mail server', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const founder = await administratorWithOrganization(service())
    const refused = await invite(service(), founder)
    sink.refuseWith(550)
    await delivery.deliverDue()
    const failed = (await timeline(founder, refused.invitationId)).at(-1)
    assert.equal(failed?.event, 'failed')
    assert.match(failed?.answer ?? '', /^550 /)
    await sink.close()
    const waiting = await invite(service(), founder)
    await delivery.deliverDue()
    const delayed = (await timeline(founder, waiting.invitationId)).at(-1)
    assert.deepEqual([delayed?.event, delayed?.answer], ['delayed', 'The mail server did not respond to this email.'])
  })

  test('The timeline hides the greeting of a mail server that refuses every email, because it may name internal hosts', async (t) => {
    // The emails of other tests would meet the greeting first, and the delivery would then wait.
    await (await startDelivery(t, service())).delivery.deliverDue()
    const script = await startSmtpScript()
    script.replies.greeting = '421 relay7.internal is shutting down'
    const delivery = createDelivery(service().context, parseSmtpUrl(`smtp://127.0.0.1:${script.port}`))
    try {
      const founder = await administratorWithOrganization(service())
      const waiting = await invite(service(), founder)
      await delivery.deliverDue()
      const delayed = (await timeline(founder, waiting.invitationId)).at(-1)
      assert.deepEqual(
        [delayed?.event, delayed?.answer],
        ['delayed', 'The mail server accepts no emails from this service now.'],
      )
    } finally {
      await delivery.stop()
      await script.close()
    }
  })

  test('The timeline ends when the invitation is rejected, canceled or expired', async () => {
    let founder = await administratorWithOrganization(service())
    const [rejected, canceled, expired] = [
      await invite(service(), founder),
      await invite(service(), founder),
      await invite(service(), founder),
    ]
    const invitee = await signUp(service(), rejected)
    await invitee.client.post(`${ORGANIZATION}/reject-invitation`, { invitationId: rejected.invitationId })
    await founder.client.post(`${ORGANIZATION}/cancel-invitation`, { invitationId: canceled.invitationId })
    service().advance(8 * DAY)
    founder = { ...(await signedIn(service(), founder.email)), organization: founder.organization }
    assert.deepEqual(await events(founder, rejected.invitationId), ['queued', 'opened', 'signed up', 'rejected'])
    assert.deepEqual(await events(founder, canceled.invitationId), ['queued', 'canceled'])
    assert.deepEqual(await events(founder, expired.invitationId), ['queued', 'expired'])
  })

  test('list-invitations finds invitations by a part of the address, and those whose newest email failed', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const founder = await administratorWithOrganization(service())
    const { client, organization } = founder
    const list = async (query: string) => {
      const url = `${ORGANIZATION}/list-invitations?organizationId=${organization.id}&${query}`
      const { status, body } = await client.get(url)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.total, body.invitations.length)
      assert.match(body.message, / has sent \d matching invitations?\.$/)
      return body.invitations.map(({ email }: { email: string }) => email)
    }
    const refused = await invite(service(), founder)
    sink.refuseWith(550)
    await delivery.deliverDue()
    sink.refuseWith(undefined)
    const taken = await invite(service(), founder)
    await delivery.deliverDue()
    assert.deepEqual(await list('status=failed'), [refused.email])
    assert.deepEqual(await list('status=pending'), [taken.email, refused.email])
    assert.deepEqual(await list(`email=${taken.email.slice(2, 15).toUpperCase()}`), [taken.email])

    service().advance(1000)
    await client.post(`${ORGANIZATION}/invite-member`, {
      ...{ email: refused.email, role: 'member', resend: true, organizationId: organization.id },
    })
    await delivery.deliverDue()
    assert.deepEqual(await list('status=failed'), [])
    await client.post(`${ORGANIZATION}/cancel-invitation`, { invitationId: taken.invitationId })
    assert.deepEqual(await list('status=canceled'), [taken.email])
    assert.deepEqual(await list('status=pending'), [refused.email])
  })

  test('The emails of an imported invitation are its own, although a user and an organization may have the same id', async () => {
    const { database } = service().context
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const { email, invitationId } = await invite(service(), inviter)
    await database.updateTable('invitations').set({ id: '7' }).where('id', '=', invitationId).execute()
    await database.updateTable('outbox').set({ subjectId: '7' }).where('subjectId', '=', invitationId).execute()
    const outbox = () => database.selectFrom('outbox').where('subjectId', '=', '7').selectAll().orderBy('id')
    const own = await outbox().executeTakeFirstOrThrow()
    const others = ['change email', 'ownership ended'].map((kind) => ({
      ...{ ...own, id: `eml_x ${kind}`, kind, recipient: newEmail(), organizationId: null },
      createdAt: own.createdAt + 1,
    }))
    await database.insertInto('outbox').values(others).execute()
    assert.deepEqual(await events(founder, '7'), ['queued'])

    const failing = { failedAt: own.createdAt + 2, lastError: '550 No such user' }
    const setOutcome = (outcome: Partial<OutboxRow>, ids: string[]) =>
      database.updateTable('outbox').set(outcome).where('id', 'in', ids).execute()
    const listFailed = async () => {
      const query = `organizationId=${founder.organization.id}&status=failed`
      const { body } = await founder.client.get(`${ORGANIZATION}/list-invitations?${query}`)
      return body.invitations.map(({ id }: { id: string }) => id)
    }
    const otherIds = others.map(({ id }) => id)
    await setOutcome(failing, otherIds)
    assert.deepEqual(await listFailed(), [])
    await setOutcome({ failedAt: null, lastError: null }, otherIds)
    await setOutcome(failing, [own.id])
    assert.deepEqual(await listFailed(), ['7'])
    const invitations = await founder.client.get(`${ADMIN}/list-invitations?status=failed&email=${email}`)
    assert.equal(invitations.body.total, 1)

    const stillWaiting = async () => {
      const waiting = await outbox().where('failedAt', 'is', null).where('encryptedEmail', 'is not', null).execute()
      return waiting.map(({ id }) => id)
    }
    await setOutcome({ ...failing, encryptedEmail: null }, [own.id])
    for (const outcome of [failing, { failedAt: null, lastError: null }]) {
      await setOutcome(outcome, otherIds)
      assert.deepEqual(await listUnsentInvitationIdsOf(database, [inviter.id]), [])
    }
    const canceled = await founder.client.post(`${ORGANIZATION}/cancel-invitation`, { invitationId: '7' })
    assert.equal(canceled.status, 200)
    assert.deepEqual(await stillWaiting(), otherIds)

    const user = await database.selectFrom('users').selectAll().where('id', '=', inviter.id).executeTakeFirstOrThrow()
    await database
      .insertInto('users')
      .values({ ...user, id: '7', email: newEmail() })
      .execute()
    assert.equal((await founder.client.post(`${ADMIN}/remove-user`, { userId: '7' })).status, 200)
    assert.deepEqual(await stillWaiting(), ['eml_x ownership ended'])
  })
})
