import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBetterAuth } from '../../../test/support/better-auth.ts'
import { post, type SourceUser, signUpAtSource } from '../../../test/support/better-auth-scene.ts'
import { randomLetters } from '../../../test/support/random-letters.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { importFromBetterAuth } from './import-from-better-auth.ts'
import { openSource } from './open-source.ts'

onEachDatabase('import of users who are deleted', (service, engine) => {
  test('A user who is deleted here during an import becomes no member, owner or creator of an API key', async (t) => {
    const { context, baseUrl } = service()
    const source = await startBetterAuth({ engine, baseUrl })
    t.after(() => source.stop())
    const [ada, bob] = [await signUpAtSource(source), await signUpAtSource(source)]
    await source.run(`update "user" set "emailVerified" = ${engine === 'sqlite' ? '1' : 'true'}`)
    const createOrganization = async ({ client }: SourceUser) => {
      const { id } = await post(client, '/organization/create', { name: 'Works', slug: `works-${randomLetters()}` })
      await post(client, '/api-key/create', { configId: 'organizations', organizationId: id, name: 'Payroll' })
      return id as string
    }
    const join = async (organizationId: string, owner: SourceUser, user: SourceUser) => {
      const invitation = { email: user.email, role: 'owner', organizationId }
      const { id } = await post(owner.client, '/organization/invite-member', invitation)
      await post(user.client, '/organization/accept-invitation', { invitationId: id })
    }
    const [ofAda, ofBob, lost] = [
      await createOrganization(ada),
      await createOrganization(bob),
      await createOrganization(bob),
    ]
    await join(ofAda, ada, bob)
    await join(ofBob, bob, ada)

    const opened = await openSource(source.url)
    const withDeletion = {
      ...opened,
      async *readOrganizations() {
        await context.database.deleteFrom('users').where('id', '=', bob.id).execute()
        yield* opened.readOrganizations()
      },
    }
    const { counts, findings } = await importFromBetterAuth(context, withDeletion, () => {}, []).finally(opened.close)
    assert.deepEqual([counts.organizations, counts.memberships, counts['API keys']], [2, 2, 2])
    const problems = findings.filter(({ kind }) => kind === 'member' || kind === 'organization')
    const isGone = 'the user is not imported'
    assert.deepEqual(
      problems.map(({ id, problem }) => [id, problem]).toSorted(),
      [
        [`${bob.id} of ${ofAda}`, isGone],
        [`${bob.id} of ${ofBob}`, isGone],
        [lost, 'it has no owner who can be imported: make a member its owner and import again'],
      ].toSorted(),
    )
    const creators = await context.database.selectFrom('apiKeys').select('createdBy').execute()
    assert.deepEqual(
      creators.map(({ createdBy }) => createdBy),
      [ada.id, ada.id],
    )
  })
})
