import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { bearerClient } from '../../../test/support/bearer-client.ts'
import { secondProcess } from '../../../test/support/second-process.ts'
import { onEachDatabase, type Service } from '../../../test/support/service.ts'
import { administratorWithOrganization, type TestMember } from '../../../test/support/users.ts'
import { keysCommand } from '../../commands/keys.ts'
import { openMigrated } from '../../commands/prepare.ts'
import { listSigningKeys } from './list-signing-keys.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { withdrawSigningKey } from './withdraw-signing-key.ts'

onEachDatabase('keys withdraw', (service) => {
  const getSecond = secondProcess(service)

  test('keys withdraw removes the signing key from the key set and replaces it from the next request on, in every process', async () => {
    const user = await administratorWithOrganization(service())
    const second = await getSecond()
    const before = await signerOf(service(), user)
    assert.equal(await signerOf(second, user), before)
    const withdrawal = await withdrawSigningKey(service().context, before)
    assert.ok(withdrawal.outcome === 'withdrawn' && withdrawal.replacement)
    for (const process of [service(), second]) {
      const signer = await signerOf(process, user)
      assert.notEqual(signer, before)
      assert.ok((await publishedIds(process)).includes(signer))
      assert.ok(!(await publishedIds(process)).some((kid) => kid.startsWith(before)))
    }
    assert.equal((await eventsOf(service(), before)).at(-1), 'signing-key.withdrawn')
    assert.deepEqual(await eventsOf(service(), withdrawal.replacement.id), ['signing-key.created'])
  })

  test('keys withdraw replaces the next key with one that is published for as long before it signs, and the signing key stays', async () => {
    const user = await administratorWithOrganization(service())
    const signing = await signerOf(service(), user)
    const { next } = await rotateSigningKey(service().context)
    service().advance(300_000)
    const withdrawal = await withdrawSigningKey(service().context, next.id)
    assert.ok(withdrawal.outcome === 'withdrawn' && withdrawal.replacement)
    assert.deepEqual(await eventsOf(service(), next.id), ['signing-key.created', 'signing-key.withdrawn'])
    assert.ok(!(await publishedIds(service())).includes(next.id))
    assert.equal(await signerOf(service(), user), signing)
    // At the last moment before the replacement signs, new tokens still have the present key.
    service().advance(599_000)
    assert.equal(await signerOf(service(), user), signing)
    // A token of that moment is valid for 15 minutes, and a minute longer where a clock is behind.
    service().advance(950_000)
    assert.ok((await publishedIds(service())).includes(signing))
    assert.equal(await signerOf(service(), user), withdrawal.replacement.id)
    service().advance(3_600_000)
    assert.deepEqual(await publishedIds(service()), pairOf(withdrawal.replacement.id))
  })

  test('keys withdraw removes an old key from the key set without a replacement', async () => {
    // Keys of earlier tests are no longer published.
    service().advance(7_200_000)
    const user = await administratorWithOrganization(service())
    const signing = await signerOf(service(), user)
    const { next } = await rotateSigningKey(service().context)
    service().advance(600_000)
    assert.equal(await signerOf(service(), user), next.id)
    assert.deepEqual(await withdrawSigningKey(service().context, signing), {
      outcome: 'withdrawn',
      replacement: undefined,
    })
    assert.deepEqual(await publishedIds(service()), pairOf(next.id))
  })

  test('Five concurrent withdrawals with rotations withdraw the key once and leave one signing key', async (t) => {
    const user = await administratorWithOrganization(service())
    const before = await signerOf(service(), user)
    const commands = await Promise.all([1, 2].map(() => openMigrated(service().config, service().context)))
    t.after(() => Promise.all(commands.map(({ close }) => close())))
    const contexts = [0, 1, 0, 1, 0].flatMap((index) => commands[index]?.context ?? [])
    const [withdrawals] = await Promise.all([
      Promise.all(contexts.map((context) => withdrawSigningKey(context, before))),
      Promise.all(contexts.map((context) => rotateSigningKey(context))),
    ])
    assert.equal(withdrawals.filter(({ outcome }) => outcome === 'withdrawn').length, 1)
    const states = (await listSigningKeys(service().context)).map(({ state }) => state)
    assert.equal(states.filter((state) => state === 'signing').length, 1)
    assert.notEqual(await signerOf(service(), user), before)
  })

  test('A withdrawn key neither signs nor is published after the clock is set back', async () => {
    const user = await administratorWithOrganization(service())
    const before = await signerOf(service(), user)
    await withdrawSigningKey(service().context, before)
    service().advance(-86_400_000)
    assert.notEqual(await signerOf(service(), user), before)
    assert.ok(!(await publishedIds(service())).includes(before))
    service().advance(86_400_000)
  })

  test('keys withdraw prints when services refuse the tokens of the key', async (t) => {
    const lines: string[] = []
    t.mock.method(console, 'log', (line: string) => lines.push(line))
    const { config, context } = service()
    const signing = (await listSigningKeys(context)).find(({ state }) => state === 'signing')?.id ?? ''
    await keysCommand.run(config, context, ['withdraw', signing])
    assert.match(
      lines[0] ?? '',
      /^key_\w+ is withdrawn\. Its tokens are refused as soon as services fetch the keys again/,
    )
    assert.match(lines[1] ?? '', /^key_\w+ is published and signs from /)
    await keysCommand.run(config, context, ['withdraw', `${signing}-es256`])
    assert.match(lines[2] ?? '', /was withdrawn before/)
    await keysCommand.run(config, context, ['list'])
    assert.ok(lines.some((line) => line.startsWith(`${signing}  withdrawn`)))
    await assert.rejects(keysCommand.run(config, context, ['withdraw', 'key_none']), /There is no key key_none/)
    for (const words of [['withdraw'], ['withdraw', signing, 'x'], ['list', 'x']])
      await assert.rejects(keysCommand.run(config, context, words), /Usage/)
  })
})

async function signerOf(service: Service, user: TestMember): Promise<string> {
  const { status, body } = await bearerClient(service, user).get(`/api/token?org=${user.organization.slug}`)
  assert.equal(status, 200, JSON.stringify(body))
  return decodeProtectedHeader(body.token).kid ?? ''
}

async function publishedIds(service: Service): Promise<string[]> {
  const { body } = await service.client().get('/api/auth/jwks')
  return (body.keys as { kid: string }[]).map(({ kid }) => kid)
}

function pairOf(id: string): string[] {
  return [id, `${id}-es256`]
}

async function eventsOf({ context: { database } }: Service, subjectId: string): Promise<string[]> {
  const events = await database
    .selectFrom('auditEvents')
    .select('action')
    .where('subjectId', '=', subjectId)
    .orderBy('id')
    .execute()
  return events.map(({ action }) => action)
}
