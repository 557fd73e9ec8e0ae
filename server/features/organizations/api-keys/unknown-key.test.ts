import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { administratorWithOrganization, type TestMember } from '../../../../test/support/users.ts'
import { newKeyText } from '../../../platform/crypto/key-text.ts'
import { newId } from '../../../platform/crypto/tokens.ts'

const API_KEY = '/api/auth/api-key'

onEachDatabase('Unknown API keys', (service) => {
  const createKey = async ({ client, organization }: TestMember) =>
    (await client.post(`${API_KEY}/create`, { name: 'Export', organizationId: organization.id })).body

  async function askedFor(t: TestContext, key: string, valid: boolean): Promise<string[]> {
    const statements = await statementsOf(t, service(), async () => {
      const { body } = await service().client().post(`${API_KEY}/verify`, { key })
      assert.equal(body.valid, valid)
    })
    // The rate limit of wrong API keys is not part of the look-up.
    return statements.map(({ sql }) => sql).filter((sql) => !sql.includes('"rateLimits"'))
  }

  test('verify API key runs the same SQL for valid, unknown, disabled and deleted API keys', async (t) => {
    const founder = await administratorWithOrganization(service())
    const [known, disabled, deleted] = [await createKey(founder), await createKey(founder), await createKey(founder)]
    await founder.client.post(`${API_KEY}/update`, { keyId: disabled.id, enabled: false })
    await founder.client.post(`${API_KEY}/delete`, { keyId: deleted.id })
    const asked = await askedFor(t, known.key, true)
    assert.equal(asked.length, 1)
    const unknown = newKeyText(newId('apk', service().context), { randomBytes })
    for (const key of [unknown, disabled.key, deleted.key]) assert.deepEqual(await askedFor(t, key, false), asked)
  })

  test('verify API key runs no SQL for text that is not an API key', async (t) => {
    const { key } = await createKey(await administratorWithOrganization(service()))
    for (const text of ['x', `${key}x`, key.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))]) {
      assert.deepEqual(await askedFor(t, text, false), [])
    }
  })
})
