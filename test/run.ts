// npm test: one PostgreSQL for all test files, then node --test. Arguments: files, folders and globs are what to run;
// options go to node --test (with `=` before their value); anything else is a pattern for test names.
// With --long (npm run test:long): only what is worth many rounds, with all of them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from './support/postgres.ts'

const everything = ['server', 'test', 'scripts'].map((folder) => `${folder}/**/*.test.ts`)
// Tests wait more than they compute, so even one core is given two files at a time.
const concurrency = Math.max(2, availableParallelism())
const isLong = process.argv.includes('--long')
const longFiles = ['test/faults/kill-loop.test.ts']
const longEnvironment = { KILL_ROUNDS: '200' }
const timeoutInMilliseconds = (isLong ? 120 : 5) * 60_000
// node --test waits for ever for a file that does not end; ended by a signal, it names that file.
const wholeTimeoutInMilliseconds = (isLong ? 120 : 20) * 60_000

type Selection = { options: string[]; files: string[] }

function readArguments(args: string[]): Selection {
  const options: string[] = []
  const files: string[] = []
  for (const arg of args) {
    if (arg === '--long') files.push(...longFiles)
    else if (arg.startsWith('-')) options.push(arg)
    else if (existsSync(arg)) files.push(statSync(arg).isDirectory() ? `${arg}/**/*.test.ts` : arg)
    else if (arg.includes('*')) files.push(arg)
    else if (arg.endsWith('.ts')) throw new Error(`There is no ${arg}.`)
    // In a file none of whose tests match, node --test runs the outermost hooks in a muddle: it might not end by itself.
    else options.push(`--test-name-pattern=${arg}`, '--test-force-exit')
  }
  return { options, files: files.length > 0 ? files : everything }
}

/** Runs node --test to its end and returns the exit code. Signals that come to us are passed on to it. */
async function runTests({ options, files }: Selection, postgresUrl: string): Promise<number> {
  const limits = [`--test-concurrency=${concurrency}`, `--test-timeout=${timeoutInMilliseconds}`]
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', ...limits, ...options, ...files], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...(isLong && longEnvironment), ...process.env, TEST_POSTGRES_URL: postgresUrl },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  setTimeout(() => child.kill(), wholeTimeoutInMilliseconds).unref()
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return code ?? 128 + constants.signals[signal ?? 'SIGTERM']
}

const selection = readArguments(process.argv.slice(2))
const postgres = await startPostgres()
try {
  process.exitCode = await runTests(selection, postgres.url('postgres'))
} finally {
  await postgres.stop()
}
