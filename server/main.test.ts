import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const runFile = promisify(execFile)
const MAIN = new URL('./main.mjs', import.meta.url).pathname
const THREAD = new URL('./platform/crypto/password-worker.ts', import.meta.url).href

/** At the end, prints the parts of Node that the main thread and a new thread have loaded. */
const PRELOAD = `
  import { isMainThread, Worker } from 'node:worker_threads'
  const thread = "import('${THREAD}').then(() => require('node:worker_threads').parentPort.postMessage(process.moduleLoadList))"
  const print = (loadedByThread) => {
    console.error([...process.moduleLoadList, ...loadedByThread].join())
    process.exit()
  }
  if (isMainThread) process.once('beforeExit', () => new Worker(thread, { eval: true }).on('message', print))`

/** With NODE_COMPILE_CACHE, which npm test sets, Node enables the cache itself. In this folder is no .env file. */
const OPTIONS = { env: {}, cwd: import.meta.dirname }

test('Only the first run of a command loads the code that strips types, also in threads', async () => {
  await listLoaded('--help')
  const loaded = await listLoaded('--help')
  assert.equal(loaded.filter((name) => name.endsWith('internal/modules/typescript')).length, 2)
  assert.deepEqual(
    loaded.filter((name) => name.includes('amaro')),
    [],
  )
})

test('The service starts without Intl, whose data take memory', async () => {
  await listLoaded('access', 'delete globalThis.Intl;')
})

test('The service loads no client of fetch, which it does not call', async () => {
  const loaded = await listLoaded('access')
  assert.ok(loaded.includes('NativeModule _http_server'))
  assert.ok(!loaded.includes('NativeModule internal/deps/undici/undici'))
})

async function listLoaded(command: string, preparation = ''): Promise<string[]> {
  const preload = `data:text/javascript,${encodeURIComponent(preparation + PRELOAD)}`
  const { stdout, stderr } = await runFile(process.execPath, ['--import', preload, MAIN, command], OPTIONS)
  assert.notEqual(stdout, '')
  return stderr.trim().split(',')
}
