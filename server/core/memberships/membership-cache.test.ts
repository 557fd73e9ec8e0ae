import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertOrganizations } from '../../../test/support/many-organizations.ts'
import { startService } from '../../../test/support/service.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { newMember } from '../../../test/support/users.ts'
import { createMembershipFinder } from './membership-cache.ts'

test('Memberships in organizations with 10 KiB of metadata and logo fill the cache when they are fewer than 400', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { context } = service
  const { id } = await newMember(service)
  const slugs = await insertOrganizations(service, id, 400)
  const metadata = JSON.stringify({ text: 'x'.repeat(8_100) })
  await context.database
    .updateTable('organizations')
    .set({ metadata, logo: 'x'.repeat(2_048) })
    .execute()
  const findMembership = createMembershipFinder(context, { watch() {}, async catchUp() {} })
  for (const slug of slugs) assert.ok(await findMembership(id, { slug }))
  const countReads = async (slug = '') => (await statementsOf(t, service, () => findMembership(id, { slug }))).length
  assert.deepEqual([await countReads(slugs[0]), await countReads(slugs.at(-1))], [0, 1])
})
