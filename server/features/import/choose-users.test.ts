import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PasskeyRow } from '../../platform/database/tables.ts'
import { chooseUsers } from './choose-users.ts'
import { planUser } from './plan-user.ts'
import { Progress } from './progress.ts'
import { NO_USERS } from './target-facts.ts'

const CREATED_AT = Date.UTC(2025, 2, 1)

function plan(id: string) {
  const source = { id, name: 'Ada Lovelace', email: 'ada@example.com', emailVerified: true }
  const rows = { accounts: [], passkeys: [], twoFactors: [] }
  const randomness = { now: () => CREATED_AT, randomBytes: (byteCount: number) => Buffer.alloc(byteCount) }
  return planUser(randomness, { ...source, createdAt: CREATED_AT, updatedAt: CREATED_AT, ...rows }, () => undefined)
}

function planAda(id: string) {
  const planned = plan(id)
  if (!('user' in planned)) throw new Error(planned.problem)
  return planned
}

function choose(here: { email: string; createdAt: number }, id = 'ada') {
  const progress = new Progress()
  const facts = { ...NO_USERS, byId: new Map([[id, here]]) }
  const chosen = chooseUsers(progress, facts, [planAda(id)])
  assert.deepEqual(chosen, [])
  return { problems: progress.report.findings.map(({ problem }) => problem), memberIds: [...progress.userIds] }
}

test('A user whose email address changed here or in the source counts as imported before', () => {
  const { problems, memberIds } = choose({ email: 'countess@example.com', createdAt: CREATED_AT })
  assert.ok(!problems.some((problem) => problem.includes('another email address')), problems.join())
  assert.deepEqual(memberIds, ['ada'], 'the memberships of the source are those of this user')
})

test('A user of another source with the same id gets no membership', () => {
  const { problems, memberIds } = choose({ email: 'bob@example.com', createdAt: CREATED_AT + 1 })
  assert.deepEqual(problems, ['a user with this id is here, with another email address'])
  assert.deepEqual(memberIds, [])
})

test('A user of another source with the same number and time of creation gets no membership', () => {
  const { problems, memberIds } = choose({ email: 'bob@example.com', createdAt: CREATED_AT }, '1')
  assert.deepEqual(problems, ['a user with this id is here, with another email address'])
  assert.deepEqual(memberIds, [])
})

test('A passkey that a user who is here lacks is listed, and not added', () => {
  const progress = new Progress()
  const passkeys = ['own', 'of-another', 'absent'].map((credentialID) => ({ credentialID }) as PasskeyRow)
  const facts = {
    ...NO_USERS,
    byId: new Map([['ada', { email: 'ada@example.com', createdAt: CREATED_AT }]]),
    userIdByCredential: new Map([
      ['own', 'ada'],
      ['of-another', 'bob'],
    ]),
  }
  assert.deepEqual(chooseUsers(progress, facts, [{ ...planAda('ada'), passkeys }]), [])
  const listed = progress.report.findings.filter(({ kind }) => kind === 'passkey')
  assert.deepEqual(
    listed.map(({ id, problem }) => [id, problem]),
    [
      ['of user ada', 'the passkey is here already'],
      [
        'of user ada',
        'the user is here already, without this passkey: unless it was deleted here, the user adds it again',
      ],
    ],
  )
})

test('A user with an id like that of an app is not imported', () => {
  const problem = 'the id begins with cli_, as only those of apps do'
  assert.deepEqual(plan('cli_a'), { kind: 'user', id: 'cli_a', problem })
})
