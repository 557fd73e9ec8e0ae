import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { startSmtpSink } from '../../../../test/support/smtp-sink.ts'
import { invite, type Owner, owner, signedIn, signUp } from '../../../../test/support/users.ts'
import { parseSmtpUrl } from '../../../platform/config/smtp-server.ts'
import { createDelivery } from '../../../platform/mail/delivery.ts'

const ORGANIZATION = '/api/auth/organization'
const DAY = 86_400_000

interface Entry {
  event: string
  at: string
  answer: string | null
}

async function timeline({ client, organization }: Owner, invitationId: string): Promise<Entry[]> {
  const { body } = await client.get(`${ORGANIZATION}/list-invitations?organizationId=${organization.id}`)
  return body.invitations.find(({ id }: { id: string }) => id === invitationId).timeline
}

async function events(inviter: Owner, invitationId: string): Promise<string[]> {
  return (await timeline(inviter, invitationId)).map(({ event }) => event)
}

onEachDatabase("An invitation's timeline", (service) => {
  test('tells of the letter, with what the mail server said, and of all that follows', async () => {
    const sink = await startSmtpSink()
    const delivery = createDelivery(service().context, parseSmtpUrl(sink.url))
    try {
      const founder = await owner(service())
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

      const hire = await signUp(service(), invited)
      await service().client().get(invited.linkPath)
      await hire.client.post(`${ORGANIZATION}/accept-invitation`, { invitationId: invited.invitationId })
      const all = await timeline(founder, invited.invitationId)
      assert.deepEqual(
        all.map(({ event }) => event),
        ['queued', 'sent', 'opened', 'signed up', 'accepted'],
      )
      assert.deepEqual(
        all.map(({ at }) => at).toSorted(),
        all.map(({ at }) => at),
      )
    } finally {
      await delivery.stop()
      await sink.close()
    }
  })

  test('tells that the letter came back, or that no server could be reached, and names no host of ours', async () => {
    const sink = await startSmtpSink()
    const delivery = createDelivery(service().context, parseSmtpUrl(sink.url))
    try {
      const founder = await owner(service())
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
      assert.deepEqual([delayed?.event, delayed?.answer], ['delayed', 'The mail server could not be reached.'])
    } finally {
      await delivery.stop()
    }
  })

  test('ends with declining, withdrawing or time', async () => {
    let founder = await owner(service())
    const [declined, withdrawn, forgotten] = [
      await invite(service(), founder),
      await invite(service(), founder),
      await invite(service(), founder),
    ]
    const hire = await signUp(service(), declined)
    await hire.client.post(`${ORGANIZATION}/reject-invitation`, { invitationId: declined.invitationId })
    await founder.client.post(`${ORGANIZATION}/cancel-invitation`, { invitationId: withdrawn.invitationId })
    service().advance(8 * DAY)
    founder = { ...(await signedIn(service(), founder.email)), organization: founder.organization }
    assert.deepEqual(await events(founder, declined.invitationId), ['queued', 'opened', 'signed up', 'rejected'])
    assert.deepEqual(await events(founder, withdrawn.invitationId), ['queued', 'canceled'])
    assert.deepEqual(await events(founder, forgotten.invitationId), ['queued', 'expired'])
  })
})
