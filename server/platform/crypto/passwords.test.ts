import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import os from 'node:os'
import { after, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { hashSync } from '@node-rs/argon2'
import { hashPassword } from 'better-auth/crypto'
import { refuseThreads } from '../../../test/support/refuse-threads.ts'
import { createPasswordHasher, TooManyWaiting, threadsOf } from './passwords.ts'
import { parseBetterAuthHash } from './scrypt-hash.ts'

describe('password hasher', () => {
  const hasher = createPasswordHasher(2)
  after(() => hasher.close())

  test('hash returns a salted argon2id hash with 19 MiB, 2 passes and 1 lane', async () => {
    const [one, other] = await Promise.all([hasher.hash('secret'), hasher.hash('secret')])
    assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.notEqual(one, other)
  })

  test('verify returns true for the right password only', async () => {
    const passwordHash = await hasher.hash('secret')
    assert.equal(await hasher.verify(passwordHash, 'secret'), true)
    assert.equal(await hasher.verify(passwordHash, 'Secret'), false)
    assert.equal(await hasher.verify(passwordHash, 'secret\0'), false)
  })

  test('A password is hashed with the lowest priority, and the main thread keeps its own', {
    // On Linux, a thread has a priority of its own, by its id.
    skip: process.platform !== 'linux',
  }, async () => {
    const own = os.getPriority()
    await hasher.hash('secret')
    const priorities = readdirSync('/proc/self/task').map((thread) => os.getPriority(Number(thread)))
    assert.ok(priorities.includes(os.constants.priority.PRIORITY_LOW), priorities.join())
    assert.equal(os.getPriority(process.pid), own)
  })

  test('verify without a hash returns false for every password', async () => {
    assert.equal(await hasher.verify(undefined, 'secret'), false)
    assert.equal(await hasher.verify(undefined, ''), false)
  })

  test('A hash with other parameters verifies and needs renewal', async () => {
    const older = hashSync('secret', { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    assert.equal(await hasher.verify(older, 'secret'), true)
    assert.equal(hasher.needsRenewal(older), true)
    assert.equal(hasher.needsRenewal(await hasher.hash('secret')), false)
  })

  test('A hash of Better Auth verifies, also with compatibility characters, and needs renewal', async () => {
    for (const password of ['secret', 'ﬁne Ⅻ Å', 'Å'.normalize('NFD')]) {
      const passwordHash = parseBetterAuthHash(await hashPassword(password)) ?? ''
      assert.match(passwordHash, /^\$scrypt\$ln=14,r=16,p=1\$[0-9a-f]{32}\$[0-9a-f]{128}$/)
      assert.equal(await hasher.verify(passwordHash, password.normalize('NFC')), true)
      assert.equal(await hasher.verify(passwordHash, `${password}!`), false)
      assert.equal(hasher.needsRenewal(passwordHash), true)
    }
  })

  test('parseBetterAuthHash returns undefined for a hash of another form', () => {
    for (const text of ['', '$2b$10$abc', 'salt:key', `${'0'.repeat(32)}:${'0'.repeat(127)}`])
      assert.equal(parseBetterAuthHash(text), undefined)
  })

  test('verify and spendOtherAlgorithm take together the same time for every kind of hash', async () => {
    const hashes = [undefined, await hasher.hash('secret'), parseBetterAuthHash(await hashPassword('secret'))]
    const least = hashes.map(() => Number.POSITIVE_INFINITY)
    for (let round = 0; round < 6; round++)
      for (const [index, passwordHash] of hashes.entries()) {
        // CPU time of all threads, which does not depend on other processes.
        const before = process.cpuUsage()
        await hasher.verify(passwordHash, 'wrong')
        await hasher.spendOtherAlgorithm(passwordHash, 'wrong')
        least[index] = Math.min(least[index] ?? 0, process.cpuUsage(before).user)
      }
    // scrypt takes three times as long as argon2id. So one algorithm alone, or one twice, would differ by much more.
    assert.ok(Math.max(...least) < 1.6 * Math.min(...least), least.join())
  })

  test('hash throws TooManyWaiting immediately when the queue is full', async () => {
    const small = createPasswordHasher(1)
    const hashes = Array.from({ length: 60 }, () => small.hash('secret'))
    assert.throws(() => small.assertNotBusy(), TooManyWaiting)
    const outcomes = await Promise.allSettled(hashes)
    small.assertNotBusy()
    await small.close()
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.ok(refused.length > 0 && refused.length < 60)
    for (const { reason } of refused) assert.ok(reason instanceof TooManyWaiting)
  })

  test('spendOtherAlgorithm waits when the queue is full, because its password was verified already', async () => {
    const small = createPasswordHasher(1)
    const hashes = Array.from({ length: 60 }, () => small.hash('secret'))
    const spent = small.spendOtherAlgorithm(undefined, 'wrong')
    await Promise.allSettled(hashes)
    await spent
    await small.close()
  })

  test('A thread gets its next password before it has finished the current one', async (t) => {
    const small = createPasswordHasher(1)
    await small.hash('secret')
    const { mock } = t.mock.method(Worker.prototype, 'postMessage')
    const hashes = ['one', 'two', 'three'].map((password) => small.hash(password))
    assert.equal(mock.callCount(), 2)
    const [one, two, three] = await Promise.all(hashes)
    for (const [hash = '', password] of [
      [one, 'one'],
      [two, 'two'],
      [three, 'three'],
    ] as const)
      assert.equal(await small.verify(hash, password), true)
    await small.close()
  })

  test('While the system has no thread left, passwords fail, and later ones are hashed', async (t) => {
    const small = createPasswordHasher(1)
    const allow = refuseThreads(t)
    // More passwords than fit into the queue.
    for (let count = 0; count < 50; count += 1)
      await assert.rejects(small.hash('secret'), { code: 'ERR_WORKER_INIT_FAILED' })
    allow()
    assert.equal(await small.verify(await small.hash('secret'), 'secret'), true)
    await small.close()
  })

  test('While the system has no second thread, the first one hashes every password', async (t) => {
    const small = createPasswordHasher(2)
    await small.hash('secret')
    refuseThreads(t)
    const hashes = await Promise.all(['one', 'two', 'three', 'four'].map((password) => small.hash(password)))
    for (const hash of hashes) assert.match(hash, /^\$argon2id/)
    await small.close()
  })

  test('threadsOf shares the cores between the processes', () => {
    const threads = [
      [1, 8],
      [2, 8],
      [3, 8],
      [8, 8],
      [9, 8],
    ].map(([processes, cores]) => threadsOf(processes ?? 0, cores))
    assert.deepEqual(threads, [8, 4, 2, 1, 1])
  })

  test('The hasher continues after a failed job', async () => {
    await assert.rejects(hasher.verify('not a hash', 'secret'))
    assert.equal(await hasher.verify(await hasher.hash('again'), 'again'), true)
  })
})
