import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { administer, userWithRole } from '../../../../test/support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  joinOrganization,
  member,
  memberIdOf,
  newEmail,
  type TestMember,
} from '../../../../test/support/users.ts'
import { leaseEmail, markSent } from '../../../platform/mail/lease-email.ts'

const ORGANIZATION = '/api/auth/organization'

type Change = () => Promise<unknown>
interface Scene {
  /** The invited email address. */
  email: string
  lose: Change
  regain: Change
}

async function setRole(owner: TestMember, colleague: TestMember, role: string): Promise<void> {
  const { organization } = owner
  const body = { memberId: await memberIdOf(colleague), role, organizationId: organization.id }
  const { status } = await owner.client.post(`${ORGANIZATION}/update-member-role`, body)
  assert.equal(status, 200)
}

async function ofRoleChange(service: Service, inviterRole: 'admin' | 'owner', role: string): Promise<Scene> {
  const founder = await administratorWithOrganization(service)
  const inviter = await member(service, founder, inviterRole)
  const { email } = await invite(service, inviter, newEmail(), role)
  return {
    email,
    lose: () => setRole(founder, inviter, 'member'),
    regain: () => setRole(founder, inviter, inviterRole),
  }
}

async function ofTransfer(service: Service): Promise<Scene> {
  const founder = await administratorWithOrganization(service)
  const inviter = await member(service, founder, 'owner')
  const { email } = await invite(service, inviter, newEmail(), 'owner')
  const organizationId = founder.organization.id
  const transfer = async (from: TestMember, to: TestMember) => {
    const memberId = await memberIdOf(to)
    const { status } = await from.client.post(`${ORGANIZATION}/transfer-ownership`, { memberId, organizationId })
    assert.equal(status, 200)
  }
  return { email, lose: () => transfer(inviter, founder), regain: () => transfer(founder, inviter) }
}

async function ofRemoval(service: Service): Promise<Scene> {
  const founder = await administratorWithOrganization(service)
  const inviter = await member(service, founder, 'admin')
  const { email } = await invite(service, inviter)
  const removal = { memberIdOrEmail: inviter.email, organizationId: founder.organization.id }
  return {
    email,
    lose: () => founder.client.post(`${ORGANIZATION}/remove-member`, removal),
    regain: async () => {
      await joinOrganization(service, inviter, founder)
      await setRole(founder, inviter, 'admin')
    },
  }
}

async function ofStaff(service: Service): Promise<Scene> {
  const admin = await administrator(service)
  const { client, id: userId } = await userWithRole(service, admin, 'admin')
  const email = newEmail()
  const organization = { name: 'New Works', slug: email.split('@')[0], ownerEmail: email }
  assert.equal((await client.post('/api/auth/admin/create-organization', organization)).status, 200)
  return {
    email,
    lose: () => administer(admin, 'set-role', { userId, role: 'support' }),
    regain: () => administer(admin, 'set-role', { userId, role: 'admin' }),
  }
}

const SCENES: [change: string, start: (service: Service) => Promise<Scene>][] = [
  ['an admin was a member for a while', (service) => ofRoleChange(service, 'admin', 'admin')],
  ['an owner was a member for a while', (service) => ofRoleChange(service, 'owner', 'member')],
  ['an owner transferred the ownership and got it back', ofTransfer],
  ['an admin was removed and joined again', ofRemoval],
  ['an administrator of the service was support for a while', ofStaff],
]

onEachDatabase('Invitations whose email was given up', (service) => {
  async function list(email: string, status: string) {
    const { client } = await administrator(service())
    const [found] = (await client.get(`/api/auth/admin/list-invitations?email=${email}`)).body.invitations
    const lists = ['', `&organizationId=${found.organizationId}`].map(async (filter) => {
      const query = `email=${email}&status=${status}${filter}`
      return (await client.get(`/api/auth/admin/list-invitations?${query}`)).body.invitations.length
    })
    return { counts: await Promise.all(lists), timeline: found.timeline as { event: string; answer: string | null }[] }
  }

  for (const [change, start] of SCENES)
    test(`An invitation whose email was given up counts as not delivered when its link works again, after ${change}`, async () => {
      const { email, lose, regain } = await start(service())
      await lose()
      const lost = await list(email, 'failed')
      assert.deepEqual(
        lost.timeline.map(({ event }) => event),
        ['queued', 'failed'],
      )
      assert.match(lost.timeline[1]?.answer ?? '', /^The email was not sent, because the inviter was not allowed /)
      assert.deepEqual(lost.counts, [0, 0])
      await regain()
      const regained = await list(email, 'failed')
      assert.deepEqual([regained.counts, regained.timeline], [[1, 1], lost.timeline])
    })

  test('A ban of the inviter takes the invitation out of those that were not delivered', async () => {
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const { email } = await invite(service(), inviter)
    await setRole(founder, inviter, 'member')
    await setRole(founder, inviter, 'admin')
    await administer(founder, 'ban-user', { userId: inviter.id })
    assert.deepEqual((await list(email, 'failed')).counts, [0, 0])
  })

  test('An invitation that is sent again waits for its new email only', async () => {
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const { email } = await invite(service(), inviter)
    await setRole(founder, inviter, 'member')
    await setRole(founder, inviter, 'admin')
    const again = { email, role: 'member', organizationId: founder.organization.id, resend: true }
    assert.equal((await founder.client.post(`${ORGANIZATION}/invite-member`, again)).status, 200)
    const { counts, timeline } = await list(email, 'failed')
    assert.deepEqual(
      [counts, timeline.map(({ event }) => event)],
      [
        [0, 0],
        ['queued', 'queued'],
      ],
    )
  })

  test('An email that the mail server accepts after its inviter was demoted is listed as sent', async () => {
    const { context } = service()
    await context.database.deleteFrom('outbox').execute()
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const { email } = await invite(service(), inviter)
    const leased = await leaseEmail(context)
    assert.equal(leased?.recipient, email)
    await setRole(founder, inviter, 'member')
    await setRole(founder, inviter, 'admin')
    await markSent(context, leased, '250 OK')
    const { counts, timeline } = await list(email, 'failed')
    assert.deepEqual(
      [counts, timeline.map(({ event }) => event)],
      [
        [0, 0],
        ['queued', 'sent'],
      ],
    )
  })
})
