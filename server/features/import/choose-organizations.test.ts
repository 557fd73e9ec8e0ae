import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBetterAuth } from '../../../test/support/better-auth.ts'
import { post, SOURCE_PASSWORD, signUpAtSource } from '../../../test/support/better-auth-scene.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { signedIn } from '../../../test/support/users.ts'
import { chooseOrganizations } from './choose-organizations.ts'
import { importFromBetterAuth } from './import-from-better-auth.ts'
import { openSource } from './open-source.ts'
import type { PlannedOrganization } from './plan-organization.ts'
import { Progress } from './progress.ts'
import { toFinding } from './report.ts'
import { NO_ORGANIZATIONS } from './target-facts.ts'

onEachDatabase('import of a deleted organization', (service, engine) => {
  test('A second import does not bring back an organization that was deleted here', async (t) => {
    const { context, baseUrl } = service()
    const source = await startBetterAuth({ engine, baseUrl })
    t.after(() => source.stop())
    const user = await signUpAtSource(source)
    await source.run(`update "user" set "emailVerified" = ${engine === 'sqlite' ? '1' : 'true'}`)
    const { id } = await post(user.client, '/organization/create', { name: 'Works', slug: 'works' })
    const importAll = async () => {
      const opened = await openSource(source.url)
      return importFromBetterAuth(context, opened, () => {}, []).finally(opened.close)
    }
    assert.equal((await importAll()).counts.organizations, 1)
    const { client } = await signedIn(service(), user.email, SOURCE_PASSWORD)
    const { status } = await client.post('/api/auth/organization/delete', { organizationId: id })
    assert.equal(status, 200)

    const { findings, counts } = await importAll()
    assert.equal(counts.organizations, 0)
    assert.deepEqual(
      findings.filter(({ kind }) => kind === 'organization').map((finding) => [finding.id, finding.problem]),
      [[id, 'the organization was deleted here']],
    )
    assert.deepEqual(await context.database.selectFrom('organizations').select('id').execute(), [])
  })
})

test('An organization with 200,000 findings is reported with all of them, also when it is here already', () => {
  const findings = Array.from({ length: 200_000 }, (_, index) => toFinding('invitation', `inv_${index}`, 'no role'))
  const organization = { id: 'org_large', slug: 'large', name: 'Large', createdAt: 0, updatedAt: 0 }
  const members = findings.map(({ id }) => ({ id, userId: id, organizationId: organization.id, role: 'member' }))
  const planned = { organization, members, invitations: [], apiKeys: [], findings } as unknown as PlannedOrganization
  const progress = new Progress()
  assert.equal(chooseOrganizations(progress, NO_ORGANIZATIONS, [planned]).length, 1)
  assert.equal(progress.report.findings.length, 200_000)
  chooseOrganizations(progress, { ...NO_ORGANIZATIONS, slugById: new Map([['org_large', 'large']]) }, [planned])
  assert.equal(progress.report.findings.length, 3 * 200_000)
})
