import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concurrently } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  joinOrganization,
  member,
  memberIdOf,
  newEmail,
  newMember,
  type TestMember,
} from '../../../../test/support/users.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'

const TRANSFER = '/api/auth/organization/transfer-ownership'

onEachDatabase('transfer-ownership', (service) => {
  test('transfer-ownership makes the member an owner and the caller an admin, records it and emails both', async () => {
    const founder = await newMember(service(), 'owner')
    const hire = await member(service(), { ...founder })
    const answer = await founder.client.post(TRANSFER, { memberId: await memberIdOf(hire) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(
      answer.body.members.map(({ userId, role }: { userId: string; role: string }) => [userId, role]),
      [
        [hire.id, 'owner'],
        [founder.id, 'admin'],
      ],
    )
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select(['subjectId', 'details'])
      .where('action', '=', 'member.role-set')
      .where('requestId', '=', answer.headers.get('x-request-id'))
      .execute()
    assert.deepEqual(events.map(({ subjectId }) => subjectId).toSorted(), [hire.id, founder.id].toSorted())
    assert.ok(events.every(({ details }) => JSON.parse(details).reason === 'ownership transferred'))
    assert.equal((await service().emails(hire.email))[0]?.subject, 'You are now an owner of Example Works')
    assert.equal((await service().emails(founder.email))[0]?.subject, 'You transferred the ownership of Example Works')

    const { status, body } = await founder.client.post(TRANSFER, { memberId: await memberIdOf(founder) })
    assert.deepEqual([status, body.code], [403, 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'])
    const own = await hire.client.post(TRANSFER, { memberId: await memberIdOf(hire) })
    assert.deepEqual([own.status, own.body.code, own.body.field], [400, 'VALIDATION_ERROR', 'memberId'])
  })

  test('transfer-ownership to an owner changes only the caller, and tells the owner nothing', async () => {
    const founder = await newMember(service(), 'owner')
    const other = await member(service(), founder, 'owner')
    const answer = await founder.client.post(TRANSFER, { memberId: await memberIdOf(other) })
    assert.deepEqual(
      answer.body.members.map(({ userId, role }: { userId: string; role: string }) => [userId, role]),
      [
        [other.id, 'owner'],
        [founder.id, 'admin'],
      ],
    )
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('subjectId')
      .where('requestId', '=', answer.headers.get('x-request-id'))
      .execute()
    assert.deepEqual(
      events.map(({ subjectId }) => subjectId),
      [founder.id],
    )
    assert.deepEqual(await service().emails(other.email), [])
    assert.equal((await service().emails(founder.email))[0]?.subject, 'You transferred the ownership of Example Works')
  })

  test('transfer-ownership sends a member at most five emails an hour, however often two owners repeat it', async () => {
    const founder = await newMember(service(), 'owner')
    const accomplice = await member(service(), founder, 'owner')
    const victim = await member(service(), founder)
    const [founderId, victimId] = [await memberIdOf(founder), await memberIdOf(victim)]
    const setRole = (memberId: string, role: string) =>
      accomplice.client.post('/api/auth/organization/update-member-role', { memberId, role })
    for (let count = 0; count < 6; count += 1) {
      assert.equal((await founder.client.post(TRANSFER, { memberId: victimId })).status, 200)
      await setRole(victimId, 'member')
      await setRole(founderId, 'owner')
    }
    const subjectsTo = async ({ email }: TestMember) => (await service().emails(email)).map(({ subject }) => subject)
    const five = (subject: string) => Array.from({ length: 5 }, () => `${subject} Example Works`)
    assert.deepEqual(await subjectsTo(founder), five('You transferred the ownership of'))
    const toVictim = [...five('You are no longer an owner of'), ...five('You are now an owner of')]
    assert.deepEqual((await subjectsTo(victim)).toSorted(), toVictim)
  })

  test('Emails about the ownership of one organization do not use up those about another', async () => {
    const attacker = await newMember(service(), 'owner')
    const founder = await newMember(service(), 'owner')
    const victim = await member(service(), founder, 'owner')
    await joinOrganization(service(), victim, attacker)
    const setRole = async ({ client, organization }: TestMember, role: string) => {
      const memberId = await memberIdOf({ ...victim, organization })
      const body = { memberId, role, organizationId: organization.id }
      assert.equal((await client.post('/api/auth/organization/update-member-role', body)).status, 200)
    }
    for (let count = 0; count < 6; count += 1) {
      await setRole(attacker, 'owner')
      await setRole(attacker, 'member')
    }
    await setRole(founder, 'member')
    const subjects = (await service().emails(victim.email)).map(({ subject }) => subject)
    assert.deepEqual(subjects, Array(6).fill('You are no longer an owner of Example Works'))
  })

  test('transfer-ownership sends the emails to addresses that are changed concurrently', async () => {
    const founder = await newMember(service(), 'owner')
    const hire = await member(service(), founder)
    const emails = new Map([founder, hire].map(({ id }) => [id, newEmail()]))
    const memberId = await memberIdOf(hire)
    const answer = await concurrently(
      service(),
      {
        begin: (transaction) => lockOrganizationForUpdate(transaction, founder.organization.id),
        async finish(transaction) {
          for (const [id, email] of emails)
            await transaction.updateTable('users').set({ email }).where('id', '=', id).execute()
        },
      },
      () => founder.client.post(TRANSFER, { memberId, organizationId: founder.organization.id }),
    )
    assert.equal(answer.status, 200)
    for (const email of emails.values()) assert.equal((await service().emails(email)).length, 1)
  })

  test('transfer-ownership fails when the member leaves concurrently, and the owner stays', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const memberId = await memberIdOf(hire)
    const answer = await concurrently(
      service(),
      {
        begin: (transaction) => lockOrganizationForUpdate(transaction, founder.organization.id),
        finish: (transaction) => transaction.deleteFrom('members').where('id', '=', memberId).execute(),
      },
      () => founder.client.post(TRANSFER, { memberId, organizationId: founder.organization.id }),
    )
    assert.deepEqual([answer.status, answer.body.code], [404, 'MEMBER_NOT_FOUND'])
    const role = await founder.client.get('/api/auth/organization/get-active-member-role')
    assert.equal(role.body.role, 'owner')
  })
})
