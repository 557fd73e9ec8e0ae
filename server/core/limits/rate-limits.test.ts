import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newUsers } from '../../../test/support/many-users.ts'
import { onEachDatabase, type Service, startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { newEmail, PASSWORD } from '../../../test/support/users.ts'

const WINDOW_MILLISECONDS = 5 * 60_000

onEachDatabase('Default limit of wrong passwords for one network', (service) => {
  test('Wrong passwords count for all addresses of one IPv6 /64, and not for other networks', async () => {
    for (let count = 0; count < 30; count += 1)
      assert.equal(await guess(service(), `2001:db8:7:7::${count.toString(16)}`), 401)
    assert.equal(await guess(service(), '2001:db8:7:7:ffff::1'), 429)
    assert.equal(await guess(service(), '2001:db8:7:8::1'), 401)
  })

  test('Wrong passwords count for one address in all its spellings, and invalid addresses count for the proxy', async () => {
    const spellings = [
      '203.0.113.77',
      '203.0.113.77:80',
      '[203.0.113.77]:81',
      '::ffff:203.0.113.77',
      '[::ffff:cb00:714d]:82',
    ]
    for (let count = 0; count < 30; count += 1)
      assert.equal(await guess(service(), spellings[count % spellings.length] ?? ''), 401)
    assert.equal(await guess(service(), '203.0.113.77:65535'), 429)
    const statuses: number[] = []
    for (let count = 0; count < 31; count += 1) statuses.push(await guess(service(), `made-up-${count}`))
    assert.equal(statuses.at(-1), 429)
  })

  test('Wrong passwords count for the address from the trusted proxy, not for an address from the client', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 31; count += 1)
      statuses.push(await guess(service(), `198.51.100.${count}, 203.0.113.9`))
    assert.equal(statuses.at(-1), 429)
  })

  test('Sixty users can sign in concurrently from one address', async () => {
    const emails = await newUsers(service(), 60)
    const statuses = await Promise.all(emails.map((email) => signIn(service(), '198.51.100.60', email)))
    assert.deepEqual(new Set(statuses), new Set([200]))
    for (let count = 0; count < 30; count += 1) assert.equal(await guess(service(), '198.51.100.60'), 401)
    assert.equal(await guess(service(), '198.51.100.60'), 429)
  })
})

onEachDatabase(
  'A limit of four wrong passwords for one network',
  (service) => {
    test('An IPv6 /48 has three times the limit of one network for wrong passwords', async () => {
      const statuses: number[] = []
      for (let count = 0; count < 13; count += 1)
        statuses.push(await guess(service(), `2001:db8:48:${count.toString(16)}::1`))
      assert.deepEqual(statuses, [...Array<number>(12).fill(401), 429])
      assert.equal(await guess(service(), '2001:db8:48:ffff::1'), 429)
      assert.equal(await guess(service(), '2001:db8:49::1'), 401)
    })

    test('CVE-2024-4629: the limit of a network holds for 60 concurrent wrong passwords for different users', async () => {
      const statuses = await Promise.all(Array.from({ length: 60 }, () => guess(service(), '198.51.100.4')))
      assert.equal(statuses.filter((status) => status === 401).length, 4)
      assert.ok(statuses.every((status) => status === 401 || status === 429))
    })

    test('A successful sign-in does not reset the limit of the network', async () => {
      const [own = ''] = await newUsers(service(), 1)
      for (let count = 0; count < 4; count += 1) {
        assert.equal(await guess(service(), '198.51.100.5'), 401)
        if (count < 3) assert.equal(await signIn(service(), '198.51.100.5', own), 200)
      }
      assert.equal(await guess(service(), '198.51.100.5'), 429)
      assert.equal(await signIn(service(), '198.51.100.5', own), 429)
    })

    test('A refused sign-in returns Retry-After, and the next one after that time is accepted', async () => {
      for (let count = 0; count < 4; count += 1) await guess(service(), '198.51.100.6')
      const refused = await post(service(), '198.51.100.6', newEmail(), 'a wrong guess')
      const seconds = Number(refused.headers.get('retry-after'))
      assert.ok(seconds > 0 && seconds <= WINDOW_MILLISECONDS / 1000, String(seconds))
      assert.equal(refused.headers.get('x-retry-after'), String(seconds))
      service().advance(seconds * 1000)
      assert.equal(await guess(service(), '198.51.100.6'), 401)
    })
  },
  { NETWORK_GUESSES_PER_5_MINUTES: '4' },
)

test('X-Forwarded-For is ignored while no proxy is trusted', async (t) => {
  const service = await startService({
    engine: 'sqlite',
    environment: { TRUST_PROXY: '0', NETWORK_GUESSES_PER_5_MINUTES: '3' },
  })
  t.after(() => service.stop())
  for (let count = 0; count < 3; count += 1) assert.equal(await guess(service, `198.51.100.${count}`), 401)
  assert.equal(await guess(service, '198.51.100.99'), 429)
})

test('CVE-2026-43914, CVE-2026-27801: rate limits are shared by all processes on one PostgreSQL and survive a restart', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const other = await startService({ engine: 'postgres', beside: service })
  for (let count = 0; count < 15; count += 1) {
    assert.equal(await guess(service, '192.0.2.99'), 401)
    assert.equal(await guess(other, '192.0.2.99'), 401)
  }
  assert.equal(await guess(service, '192.0.2.99'), 429)
  await other.stop()
  const restarted = await startService({ engine: 'postgres', beside: service })
  t.after(() => restarted.stop())
  assert.equal(await guess(restarted, '192.0.2.99'), 429)
})

test('CVE-2024-4629: two processes on one PostgreSQL verify no more concurrent wrong passwords than one process', async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const other = await startService({ engine: 'postgres', beside: service })
  t.after(() => other.stop())
  const [email = ''] = await newUsers(service, 1)
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) =>
      post(index % 2 ? service : other, `198.51.100.${index}`, email, 'a wrong guess'),
    ),
  )
  const statuses = answers.map(({ status }) => status)
  // A busy machine answers 503. Such a guess does not count, so the guesses below use up the rest of the limit.
  assert.ok(statuses.every((status) => [401, 429, 503].includes(status)))
  for (let count = 0; count < 20; count += 1)
    statuses.push((await post(service, `203.0.113.${count}`, email, 'a wrong guess')).status)
  assert.equal(statuses.filter((status) => status === 401).length, 20)
  assert.equal(await signIn(service, '203.0.113.99', email), 429)
})

test("A guess whose reservation can't be released, because the database is unavailable, releases it later", async (t) => {
  const service = await startService({ engine: 'postgres' })
  t.after(() => service.stop())
  const { database } = service.context
  const [email = ''] = await newUsers(service, 1)
  await sql`create function refuse_releases() returns trigger language plpgsql as $$ begin
    raise exception 'the server is shut down' using errcode = 'admin_shutdown';
  end $$`.execute(database)
  await sql`create trigger refuse_releases before update on "rateLimits" for each row
    when (new."reserved" < old."reserved") execute function refuse_releases()`.execute(database)
  for (const password of [PASSWORD, 'a wrong guess'])
    assert.equal((await post(service, '192.0.2.1', email, password)).status, 503)
  const reserved = async () => {
    const rows = await database.selectFrom('rateLimits').select('reserved').where('reserved', '>', 0).execute()
    return rows.map((row) => row.reserved)
  }
  // Two guesses are reserved in the counter of the account, and two in that of the network.
  assert.deepEqual(await reserved(), [2, 2])
  await sql`drop trigger refuse_releases on "rateLimits"`.execute(database)
  await until(async () => (await reserved()).length === 0, 'the reservations are released')
})

async function guess(service: Service, address: string): Promise<number> {
  return (await post(service, address, newEmail(), 'a wrong guess')).status
}

async function signIn(service: Service, address: string, email: string): Promise<number> {
  return (await post(service, address, email, PASSWORD)).status
}

function post({ baseUrl }: Service, address: string, email: string, password: string): Promise<Response> {
  return fetch(`${baseUrl}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password }),
  })
}
