import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { compileOnce } from './compile-once.ts'

onEachDatabase('compileOnce', (service) => {
  const database = () => service().context.database

  async function insertOrganizations(...ids: string[]): Promise<void> {
    const others = { logo: null, metadata: null, createdAt: 1, requireTwoFactor: 0 }
    const rows = ids.map((id) => ({ id, name: id, slug: id, ...others }))
    await database().insertInto('organizations').values(rows).execute()
  }

  before(() => insertOrganizations('one', 'two'))

  test('compileOnce runs the query with the current values, with and without a transaction', async () => {
    let compilations = 0
    const rename = compileOnce((on, { id, name }: { id: string; name: string }) => {
      compilations += 1
      return on.updateTable('organizations').set({ name }).where('id', '=', id).returning(['id', 'name'])
    })
    await insertOrganizations('three', 'four')
    const [third] = await rename(database(), { id: 'three', name: 'Third' })
    const [fourth] = await database()
      .transaction()
      .execute((transaction) => rename(transaction, { id: 'four', name: 'Fourth' }))
    assert.deepEqual(
      [{ ...third }, { ...fourth }],
      [
        { id: 'three', name: 'Third' },
        { id: 'four', name: 'Fourth' },
      ],
    )
    assert.equal(compilations, 1)
  })

  test('compileOnce compiles again for other names of values', async () => {
    const find = compileOnce((on, { id, name }: { id: string; name?: string }) =>
      on
        .selectFrom('organizations')
        .select('id')
        .where('id', '=', id)
        .$if(name !== undefined, (query) => query.where('name', '=', name ?? '')),
    )
    assert.equal((await find(database(), { id: 'one' })).length, 1)
    assert.equal((await find(database(), { id: 'one', name: 'Else' })).length, 0)
    assert.equal((await find(database(), { name: 'one', id: 'one' })).length, 1)
    assert.equal((await find(database(), { id: 'one' })).length, 1)
  })

  test('compileOnce compiles once for each length of a list, and finds each of its values', async () => {
    let compilations = 0
    const list = compileOnce((on, { ids, slug }: { ids: string[]; slug: string }) => {
      compilations += 1
      return on.selectFrom('organizations').select('id').where('id', 'in', ids).where('slug', '!=', slug).orderBy('id')
    })
    const idsAmong = async (...ids: string[]) => (await list(database(), { ids, slug: 'other' })).map(({ id }) => id)
    assert.deepEqual(await idsAmong('one'), ['one'])
    assert.deepEqual(await idsAmong('two'), ['two'])
    assert.deepEqual(await idsAmong('two', 'one'), ['one', 'two'])
    assert.deepEqual(await idsAmong('missing', 'two'), ['two'])
    assert.equal(compilations, 2)
  })

  test('compileOnce throws when a value does not reach the query unchanged', async () => {
    const search = compileOnce((on, { text }: { text: string }) =>
      on.selectFrom('organizations').select('id').where('name', 'like', `%${text}%`),
    )
    await assert.rejects(search(database(), { text: 'a' }), /text is not passed to the query unchanged/)
    const firstOnly = compileOnce((on, { ids: [id = ''] }: { ids: string[] }) =>
      on.selectFrom('organizations').select('id').where('id', '=', id),
    )
    await assert.rejects(firstOnly(database(), { ids: ['a', 'b'] }), /ids is not passed to the query unchanged/)
  })
})
