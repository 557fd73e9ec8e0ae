import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { createAuthClient } from 'better-auth/client'
import { decodeJwt } from 'jose'
import { type BetterAuth, startBetterAuth } from '../../../test/support/better-auth.ts'
import {
  makeScene,
  SOURCE_PASSWORD,
  type SourceScene,
  type SourceUser,
} from '../../../test/support/better-auth-scene.ts'
import type { Client } from '../../../test/support/client.ts'
import { getFreePort } from '../../../test/support/free-port.ts'
import { listInconsistencies } from '../../../test/support/inconsistencies.ts'
import { tryToSignIn } from '../../../test/support/passkeys.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { invitationLink, newEmail, signedIn } from '../../../test/support/users.ts'
import { listPasskeysOfUser } from '../../core/credentials/passkey-store.ts'
import { findPasswordHash } from '../../core/credentials/password-store.ts'
import { findUser } from '../../core/users/find-user.ts'
import { importFromBetterAuth } from './import-from-better-auth.ts'
import { openSource } from './open-source.ts'
import type { ImportReport } from './report.ts'

const SIGN_IN = '/api/auth/sign-in/email'

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  describe(`Import from Better Auth on ${from} to Accounts on ${to}`, () => {
    let service: Service
    let source: BetterAuth
    let scene: SourceScene
    let report: ImportReport
    let environment: Record<string, string>

    const listEvents = () =>
      service.context.database
        .selectFrom('auditEvents')
        .select(['subjectId', 'organizationId', 'userAgent', 'details'])
        .where('action', 'in', ['user.created', 'organization.created'])
        .execute()

    async function importAll(): Promise<ImportReport> {
      const opened = await openSource(source.url)
      try {
        return await importFromBetterAuth(service.context, opened, () => {}, [])
      } finally {
        await opened.close()
      }
    }

    before(async () => {
      // The passkey of the source has an origin. Every service has the same port for it.
      const port = await getFreePort()
      const baseUrl = `http://localhost:${port}`
      environment = { BASE_URL: baseUrl, PORT: String(port) }
      source = await startBetterAuth({ engine: from, baseUrl })
      scene = await makeScene(source, baseUrl)
    })
    beforeEach(async () => {
      service = await startService({ engine: to, environment })
      report = await importAll()
    })
    afterEach(() => service?.stop())
    after(() => source?.stop())

    const schemeOf = async ({ id }: Pick<SourceUser, 'id'>) =>
      (await findPasswordHash(service.context.database, id))?.split('$')[1]
    const trySignIn = (client: Client, { email }: SourceUser, password = SOURCE_PASSWORD) =>
      client.post(SIGN_IN, { email, password })

    test('The report counts the imported rows and names what is not imported', () => {
      assert.deepEqual(report.counts, {
        users: 5,
        passwords: 5,
        passkeys: 1,
        organizations: 1,
        memberships: 2,
        invitations: 1,
        'API keys': 1,
        'users that are here already': 0,
        'organizations that are here already': 0,
      })
      const ids = report.findings.filter(({ kind }) => kind !== 'table').map(({ id }) => id)
      assert.deepEqual(ids, [scene.careful.id, scene.invitationId, scene.userApiKeyId])
      const tables = report.findings.filter(({ kind }) => kind === 'table').map(({ id }) => id.replace(/ .*/, ''))
      assert.deepEqual(tables, ['session'])
    })

    test('A user is imported with id, role, ban and times', async () => {
      const { database } = service.context
      const [{ createdAt } = { createdAt: '' }] = await source.run(
        'select "createdAt" from "user" where id = ?',
        scene.owner.id,
      )
      const user = await findUser(database, scene.owner.id)
      assert.deepEqual(
        [user?.email, user?.name, user?.role, user?.emailVerified, user?.banned],
        [scene.owner.email, 'Olga Owner', 'admin', 1, 0],
      )
      assert.equal(user?.createdAt, new Date(createdAt as string).getTime())
      const banned = await findUser(database, scene.banned.id)
      assert.deepEqual([banned?.banned, banned?.banReason, banned?.role], [1, 'Spam', 'user'])
    })

    test('The official client signs in with the old password once, and its hash is argon2id from then on', async () => {
      assert.equal(await schemeOf(scene.member), 'scrypt')
      const client = createAuthClient({
        baseURL: service.baseUrl,
        fetchOptions: { headers: { origin: service.baseUrl } },
      })
      const wrong = await client.signIn.email({ email: scene.member.email, password: 'another password' })
      assert.equal(wrong.error?.code, 'INVALID_EMAIL_OR_PASSWORD')
      assert.equal(await schemeOf(scene.member), 'scrypt')
      for (const email of [scene.member.email, scene.member.email.toUpperCase()]) {
        const { data } = await client.signIn.email({ email, password: SOURCE_PASSWORD })
        assert.equal(data?.user.id, scene.member.id)
        assert.equal(await schemeOf(scene.member), 'argon2id')
      }
    })

    test('A banned user is refused', async () => {
      const { status, body } = await trySignIn(service.client(), scene.banned)
      assert.deepEqual([status, body.code], [403, 'BANNED_USER'])
    })

    test('A user with an authenticator app signs in with a code by email as second step', async () => {
      const client = service.client()
      const { body } = await trySignIn(client, scene.careful)
      assert.deepEqual([body.twoFactorRedirect, body.twoFactorMethods], [true, ['otp']])
      assert.equal((await client.get('/api/auth/get-session')).body, null)
      await client.post('/api/auth/two-factor/send-otp')
      const code = (await service.emails(scene.careful.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
      assert.equal((await client.post('/api/auth/two-factor/verify-otp', { code })).status, 200)
      assert.equal((await client.get('/api/auth/get-session')).body.user.id, scene.careful.id)
    })

    test('A passkey signs in, and verify-password renews the hash in its session', async () => {
      const client = service.client()
      const answer = await tryToSignIn(client, scene.owner.authenticator)
      assert.deepEqual([answer.status, answer.body.session?.userId], [200, scene.owner.id], JSON.stringify(answer.body))
      const [passkey] = await listPasskeysOfUser(service.context.database, scene.owner.id)
      assert.deepEqual(
        [passkey?.name, passkey?.deviceType, passkey?.transports],
        ['Laptop', 'singleDevice', 'internal,hybrid'],
      )
      assert.equal(await schemeOf(scene.owner), 'scrypt')
      const verified = await client.post('/api/auth/verify-password', { password: SOURCE_PASSWORD })
      assert.equal(verified.status, 200)
      assert.equal(await schemeOf(scene.owner), 'argon2id')
    })

    test('A token has the imported organization and the highest of several roles', async () => {
      const { client } = await signedIn(service, scene.member.email, SOURCE_PASSWORD)
      const { body } = await client.get(`/api/token?org=${scene.organization.slug}`)
      const { sub, org_id, org_role } = decodeJwt(body.token)
      assert.deepEqual([sub, org_id, org_role], [scene.member.id, scene.organization.id, 'admin'])
    })

    test('An API key gets a token, is listed with its start, and can be rotated', async () => {
      const headers = { 'x-api-key': scene.apiKey }
      const answer = await service.client().get(`/api/token?org=${scene.organization.slug}`, { headers })
      const { org_id, org_role, name } = decodeJwt(answer.body.token)
      assert.deepEqual([org_id, org_role, name], [scene.organization.id, 'member', 'Payroll'])
      const wrong = { 'x-api-key': `${scene.apiKey}x` }
      assert.equal((await service.client().get('/api/token', { headers: wrong })).body.code, 'INVALID_API_KEY')

      const { client } = await signedIn(service, scene.owner.email, SOURCE_PASSWORD)
      const organizationId = scene.organization.id
      const { body } = await client.get(`/api/auth/api-key/list?organizationId=${organizationId}`)
      const [key] = body.apiKeys
      assert.deepEqual(
        [key.prefix, scene.apiKey.startsWith(key.start), key.start.length > 0, key.metadata],
        ['works_', true, true, { for: 'payroll' }],
      )
      const rotated = await client.post('/api/auth/api-key/rotate', { keyId: key.id, overlapSeconds: 0 })
      assert.equal(rotated.status, 200, JSON.stringify(rotated.body))
      assert.deepEqual([rotated.body.prefix, rotated.body.key.startsWith(rotated.body.start)], ['acc_', true])
    })

    test('An invitation is accepted by its old id, or by the link of a new email', async () => {
      const { client: owner } = await signedIn(service, scene.owner.email, SOURCE_PASSWORD)
      const organizationId = scene.organization.id
      const again = { email: scene.invited.email, role: 'admin', organizationId, resend: true }
      const { body } = await owner.post('/api/auth/organization/invite-member', again)
      assert.equal(body.id, scene.invitationId)
      const path = await invitationLink(service, scene.invited.email)
      const opened = await service.client().get(path)
      assert.deepEqual([opened.status, opened.headers.get('location')], [302, '/sign-in'])

      const { client } = await signedIn(service, scene.invited.email, SOURCE_PASSWORD)
      const accepted = await client.post('/api/auth/organization/accept-invitation', {
        invitationId: scene.invitationId,
      })
      assert.deepEqual([accepted.status, accepted.body.member?.role], [200, 'admin'], JSON.stringify(accepted.body))
      assert.deepEqual(await listInconsistencies(service.context.database), [])
    })

    test('A refused sign-in costs both algorithms for every email address while there is a scrypt hash', async (t) => {
      const { passwords, database } = service.context
      const spent = t.mock.method(passwords, 'spendOtherAlgorithm')
      const refuse = async (email: string) => {
        spent.mock.resetCalls()
        const { body } = await service.client().post(SIGN_IN, { email, password: 'a wrong guess' })
        assert.equal(body.code, 'INVALID_EMAIL_OR_PASSWORD')
        return spent.mock.callCount()
      }
      for (const email of [scene.banned.email, scene.member.email, newEmail()]) assert.equal(await refuse(email), 1)
      const passwordHash = await passwords.hash(SOURCE_PASSWORD)
      const imported = database.updateTable('accounts').where('passwordHash', 'like', '$scrypt$%')
      await imported.set({ passwordHash }).execute()
      for (const email of [scene.banned.email, scene.member.email, newEmail()]) assert.equal(await refuse(email), 0)
    })

    test('Each user and organization has one audit event of the command line, and totals are right', async () => {
      const events = await listEvents()
      const subjects = events.map(({ subjectId, organizationId }) => subjectId ?? organizationId)
      const { owner, member, banned, careful, invited, organization } = scene
      const ids = [owner, member, banned, careful, invited, organization].map(({ id }) => id)
      assert.deepEqual(subjects.sort(), ids.sort())
      assert.ok(events.every(({ userAgent, details }) => userAgent === 'command line' && details.includes('"import"')))
      // An imported invitation has no event and no email here until it is sent again.
      const expected = ['events invitation.created', 'emails'].map(
        (missing) => `invitations and ${missing}: ${scene.invitationId} occurs 1 and 0 times`,
      )
      assert.deepEqual(await listInconsistencies(service.context.database), expected)
    })

    test('An import sends no emails, and a second one changes nothing', async () => {
      const before = await listEvents()
      const { counts } = await importAll()
      assert.deepEqual(
        [counts.users, counts['users that are here already'], counts['organizations that are here already']],
        [0, 5, 1],
      )
      assert.deepEqual(await listEvents(), before)
      assert.deepEqual(await service.context.database.selectFrom('outbox').select('id').execute(), [])
    })

    test('A second import lists what an organization that is here lacks, and does not add it', async () => {
      const { database } = service.context
      const { id } = scene.organization
      const listAbsent = ({ findings }: ImportReport) =>
        findings.filter(({ problem }) => problem.startsWith('the organization is here already, without'))
      assert.deepEqual(listAbsent(await importAll()), [])
      for (const table of ['apiKeys', 'invitations', 'members'] as const)
        await database.deleteFrom(table).where('organizationId', '=', id).execute()
      const absent = listAbsent(await importAll())
      const members = [scene.owner, scene.member].map((user) => `${user.id} of ${id}`)
      const [apiKeys = [], others = []] = [true, false].map((isKey) =>
        absent.filter(({ kind }) => (kind === 'API key') === isKey),
      )
      assert.deepEqual(
        [apiKeys.length, new Set(others.map((one) => one.id))],
        [1, new Set([...members, scene.invitationId])],
      )
      assert.ok(absent.some(({ problem }) => /without this member: unless the user was removed here/.test(problem)))
      assert.deepEqual(await database.selectFrom('members').selectAll().where('organizationId', '=', id).execute(), [])
    })

    test('A second import brings a new organization of an owner who has changed the email address here', async (t) => {
      const { database } = service.context
      const email = newEmail()
      await database.updateTable('users').set({ email }).where('id', '=', scene.owner.id).execute()
      t.after(async () => {
        await source.run(`delete from member where id = 'later'`)
        await source.run(`delete from organization where id = 'later'`)
      })
      await source.run(
        `insert into organization (id, name, slug, "createdAt")
          select 'later', 'Later', 'later', "createdAt" from organization where id = ?`,
        scene.organization.id,
      )
      await source.run(
        `insert into member (id, "organizationId", "userId", role, "createdAt")
          select 'later', 'later', "userId", role, "createdAt" from member where "userId" = ?`,
        scene.owner.id,
      )
      const { counts } = await importAll()
      assert.deepEqual([counts.organizations, counts['users that are here already']], [1, 5])
      const owners = await database.selectFrom('members').selectAll().where('organizationId', '=', 'later').execute()
      assert.deepEqual(
        owners.map(({ userId, role }) => [userId, role]),
        [[scene.owner.id, 'owner']],
      )
      assert.equal((await findUser(database, scene.owner.id))?.email, email)
    })
  })
}
