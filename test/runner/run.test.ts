import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type TestContext, type TestsStream, test } from 'node:test'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { watchFiles } from './running-files.ts'
import { selectTests } from './select-tests.ts'
import { importAll } from './share-processes.ts'

const RUNNER = join(import.meta.dirname, '../run.ts')
const PASSING = `import { test } from 'node:test'
  test('sees the sun', () => {})
  test('sees the moon', () => {})`
const HANGING = `${PASSING}
  setInterval(() => {}, 1000)`

/** Runs `npm test` with arguments; `file` is a test file that contains the code. */
async function runTests(t: TestContext, code: string, ...commandArguments: string[]) {
  const folder = createTemporaryFolder(t)
  const file = join(folder, 'a.test.ts')
  await writeFile(file, code)
  // Without this variable, node:test takes the new process for a part of this test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, [RUNNER, file, ...commandArguments], { env })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = once(child, 'close').then(([exitCode]) => exitCode as number)
  return { file, child, output: () => output, ended }
}

test('npm test exits with 1 when a test fails, and with 0 when all pass', async (t) => {
  const failing = await runTests(t, `${PASSING}\n test('fails', () => { throw new Error('rain') })`)
  assert.equal(await failing.ended, 1)
  assert.match(failing.output(), /pass 2\n[\s\S]*fail 1\n/)
  assert.equal(await (await runTests(t, PASSING)).ended, 0)
})

test('npm test with a text runs only the tests with that name', async (t) => {
  const { output, ended } = await runTests(t, HANGING, 'sees the moon')
  assert.equal(await ended, 0)
  assert.match(output(), /sees the moon/)
  assert.doesNotMatch(output(), /sees the sun/)
})

test('npm test with a text runs the tests with that name of every file in a shared process', async (t) => {
  const folder = createTemporaryFolder(t)
  const files = ['early', 'late'].map((name) => join(folder, `${name}.test.ts`))
  const code = `import { describe, test } from 'node:test'
    await new Promise((resolve) => setTimeout(resolve, 300))`
  await writeFile(files[0] ?? '', `${code}\n describe('A day', () => { test('sees the sun', () => {}) })`)
  await writeFile(files[1] ?? '', `${code}\n test('sees the moon', () => {})`)
  const { entry } = importAll(files, join(folder, 'shared.test.ts'))
  const { output, ended } = await runTests(t, await readFile(entry, 'utf8'), 'sees the moon')
  assert.equal(await ended, 0, output())
  assert.match(output(), /✔ sees the moon/)
})

test('npm test -- --order-seed N runs the tests of a file in a random order, which the number repeats', async (t) => {
  const code = `import { test } from 'node:test'
    for (const name of 'abcdefgh') test(name, () => {})`
  const orderOf = async (...options: string[]) => {
    const { output, ended } = await runTests(t, code, ...options)
    assert.equal(await ended, 0, output())
    return [...output().matchAll(/✔ ([a-h]) /g)].map(([, name]) => name).join('')
  }
  assert.equal(await orderOf(), 'abcdefgh')
  const random = await orderOf('--order-seed', '1')
  assert.notEqual(random, 'abcdefgh')
  assert.equal(await orderOf('--order-seed', '1'), random)
})

test('npm test -- --long chooses a random order, unless a seed repeats one', () => {
  assert.notEqual(selectTests(['--long']).orderSeed, selectTests(['--long']).orderSeed)
  assert.equal(selectTests(['--long', '--order-seed', '7']).orderSeed, 7)
  assert.equal(selectTests([]).orderSeed, undefined)
})

test('npm test with a wrong argument exits with 1, and prints what is wrong and the usage, without a stack', async (t) => {
  for (const [wrong, problem] of [
    [['--order-seed', 'abc'], '--order-seed must be a whole number.'],
    [['--fast'], "Unknown option '--fast'"],
    [['no-such.test.ts'], 'There is no no-such.test.ts.'],
  ] as const) {
    const { output, ended } = await runTests(t, PASSING, ...wrong)
    assert.equal(await ended, 1)
    assert.match(output(), /^Usage: npm test/m)
    assert.ok(output().startsWith(problem), output())
    assert.doesNotMatch(output(), /^ {4}at /m)
  }
})

test('npm test -- --help prints the usage and runs no test', async (t) => {
  const { output, ended } = await runTests(t, PASSING, '--help')
  assert.equal(await ended, 0)
  assert.match(output(), /^Usage: npm test/)
  assert.doesNotMatch(output(), /sees the sun/)
})

test('npm test with a text that no test has exits with 1', async (t) => {
  const { output, ended } = await runTests(t, PASSING, 'sees the stars')
  assert.equal(await ended, 1)
  assert.match(output(), /No test has run\./)
})

test('npm test says which signal stopped it, and which file was not at its end', async (t) => {
  const { file, child, output, ended } = await runTests(t, `${HANGING}\n process.stdout.write('waiting')`)
  await until(() => output().includes('waiting'), 'the file runs')
  child.kill('SIGTERM')
  assert.equal(await ended, 128 + 15)
  assert.ok(output().includes(`Stopped: SIGTERM. Not at their end: ${file}.`), output())
})

test('npm test -- --watch runs a file again after a change', async (t) => {
  const { file, child, output, ended } = await runTests(t, PASSING, '--watch')
  await until(() => output().includes('sees the moon'), 'the first run')
  await writeFile(file, PASSING.replace('moon', 'stars'))
  await until(() => output().includes('sees the stars'), 'the second run')
  child.kill('SIGINT')
  assert.equal(await ended, 128 + 2)
})

test('npm run test:long prints what it does more of, its files, and the end of each', async (t) => {
  const code = `import { test } from 'node:test'
    test('has many rounds', (t) => t.diagnostic(process.env.KILL_ROUNDS + ' rounds'))`
  const { file, output, ended } = await runTests(t, code, '--long')
  assert.equal(await ended, 0, output())
  for (const text of ['  KILL_ROUNDS=200\n', `  ${file}\n`, '200 rounds', `${file} ended after `])
    assert.ok(output().includes(text), `${text} is not in ${output()}`)
})

test('npm test refuses a file that does not exist', async (t) => {
  const { output, ended } = await runTests(t, PASSING, 'server/none.test.ts')
  assert.equal(await ended, 1)
  assert.match(output(), /There is no server\/none\.test\.ts/)
})

test('A test file that runs over the limit is reported once, and one that has ended is not', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const events = new EventEmitter()
  const late: string[] = []
  const files = watchFiles(events as TestsStream, 1_000, (file) => late.push(file))
  for (const name of ['quick.test.ts', 'slow.test.ts']) events.emit('test:dequeue', { name, file: resolve(name) })
  events.emit('test:dequeue', { name: 'a test', file: resolve('slow.test.ts') })
  events.emit('test:complete', { name: 'quick.test.ts', file: resolve('quick.test.ts'), details: { duration_ms: 1 } })
  assert.deepEqual(files.list(), ['slow.test.ts'])
  t.mock.timers.tick(1_000)
  t.mock.timers.tick(1_000)
  assert.deepEqual(late, ['slow.test.ts'])
})

test('Slow test files start first, long ones run by name or with --long, and --unit leaves out files that start a service, PostgreSQL or a browser', () => {
  assert.equal(selectTests([]).files[0], 'test/faults/kill-loop.test.ts')
  const long = 'test/faults/pgbouncer.test.ts'
  assert.deepEqual(
    [[], ['--long'], [long]].map((given) => selectTests(given).files.includes(long)),
    [false, true, true],
  )
  const { files } = selectTests(['--unit'])
  for (const file of ['server/platform/config/config.test.ts', 'test/docs/contributing.test.ts'])
    assert.ok(files.includes(file), file)
  const example = 'test/docs/example-endpoint.test.ts'
  assert.deepEqual(selectTests(['--unit', example]).files, [])
  for (const file of ['test/faults/kill-loop.test.ts', 'test/browser/sign-in.test.ts', 'test/client/sessions.test.ts'])
    assert.ok(!files.includes(file), file)
})
