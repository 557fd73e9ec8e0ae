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

/** With NODE_COMPILE_CACHE, which npm test sets, Node enables the cache itself. */
const OPTIONS = { env: {} }

test('Only the first run of a command loads the code that strips types, also in threads', async () => {
  const preload = `data:text/javascript,${encodeURIComponent(PRELOAD)}`
  const run = () => runFile(process.execPath, ['--import', preload, MAIN, '--help'], OPTIONS)
  await run()
  const { stdout, stderr } = await run()
  assert.match(stdout, /npm run accounts/)
  assert.equal(stderr.match(/internal\/modules\/typescript/g)?.length, 2)
  assert.doesNotMatch(stderr, /internal\/deps\/amaro/)
})
