// npm test: one PostgreSQL for all test files. Files that load the service share processes.
import { mkdtempSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { MINUTE_MILLISECONDS } from '../server/platform/time/time-units.ts'
import { printFileEnds, setLongRun } from './runner/long-run.ts'
import { countTests, watchFiles } from './runner/running-files.ts'
import { type Selection, selectTests, USAGE, UsageError } from './runner/select-tests.ts'
import { LOADS_FILES, shareProcesses } from './runner/share-processes.ts'
import { makeTemporaryFolder } from './runner/temporary-folder.ts'
import { isUnitTest } from './runner/unit-tests.ts'

// Many tests wait for a moment, so one file more than cores runs concurrently. Long tests measure times and run alone.
const CONCURRENCY = availableParallelism() + 1
const LONG_CONCURRENCY = 1
// The limits end tests that hang. Processors differ by a factor of 2.5, so a slow one must not reach them.
const LIMITS = { fileMinutes: 12, runMinutes: 45 }
const LONG_LIMITS = { fileMinutes: 120, runMinutes: 120 }
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
type Signal = (typeof SIGNALS)[number]

/** Runs the tests until they end, or until a signal or a limit stops them. @returns the exit code */
async function runTests({ files, namePatterns, orderSeed, isLong, isWatching }: Selection): Promise<number> {
  const hasPatterns = namePatterns.length > 0
  const { fileMinutes, runMinutes } = isLong ? LONG_LIMITS : LIMITS
  const stopping = new AbortController()
  const processes =
    isWatching || isLong ? files.map((file) => ({ entry: file, files: [file] })) : shareProcesses(files, folder.path)
  const events = run({
    files: processes.map(({ entry }) => entry),
    concurrency: isLong ? LONG_CONCURRENCY : CONCURRENCY,
    timeout: fileMinutes * MINUTE_MILLISECONDS,
    watch: isWatching,
    signal: stopping.signal,
    ...(hasPatterns && { testNamePatterns: [...namePatterns, LOADS_FILES] }),
    execArgv: [
      // The option of node:test would also change the order of the files, and the slow ones must start first.
      ...(orderSeed === undefined ? [] : [`--test-random-seed=${orderSeed}`]),
      // If no test of a file matches, node:test runs the outermost hooks in a wrong order, and the file might not end.
      ...(hasPatterns ? ['--test-force-exit'] : []),
    ],
  })
  if (isLong) printFileEnds(events)
  let exitCode = 0
  const stop = (why: string, code = 1) => {
    if (stopping.signal.aborted) return
    exitCode = code
    const unfinished = processes
      .filter(({ entry }) => running.list().includes(entry))
      .flatMap((process) => process.files)
    console.error(`\nStopped: ${why}. Not at their end: ${unfinished.join(', ') || 'no files'}.`)
    stopping.abort()
  }
  const running = watchFiles(events, fileMinutes * MINUTE_MILLISECONDS, (file) =>
    stop(`${file} does not end within ${fileMinutes} minutes`),
  )
  const testCount = countTests(events)
  const stopAll = () => stop(`the tests do not end within ${runMinutes} minutes`)
  if (!isWatching) setTimeout(stopAll, runMinutes * MINUTE_MILLISECONDS).unref()
  onSignal((signal) => stop(signal, exitCodeOf(signal)))
  events.on('test:fail', () => {
    exitCode ||= 1
  })
  const report = events.compose(spec)
  report.pipe(process.stdout)
  await new Promise((resolve) => report.on('end', resolve))
  if (testCount() === 0 && exitCode === 0) {
    console.error('\nNo test has run.')
    exitCode = 1
  }
  return exitCode
}

/** Imports of their own, because unit tests need none of these modules, and a second of CPU time less. */
async function preparePostgres() {
  const { startPostgres } = await import('./support/postgres.ts')
  const { createClusterOfRun } = await import('./support/postgres-cluster.ts')
  const { createTemplates } = await import('./support/ready-database.ts')
  Object.assign(process.env, await createClusterOfRun())
  const started = await startPostgres()
  try {
    process.env.TEST_POSTGRES_URL = started.url('postgres')
    Object.assign(process.env, await createTemplates(folder.path))
    return started
  } catch (error) {
    await started.stop()
    throw error
  }
}

/** Prepares and runs the tests. A signal during the preparation ends the run after it. @returns the exit code */
async function prepareAndRun(selection: Selection): Promise<number> {
  const postgres = selection.files.every((file) => isUnitTest(file)) ? undefined : await preparePostgres()
  try {
    return stoppedBy ? exitCodeOf(stoppedBy) : await runTests(selection)
  } finally {
    await postgres?.stop()
  }
}

/** Prints the usage and exits when it is asked for, or when the arguments are wrong. */
function readArguments(): Selection {
  try {
    const selection = selectTests(process.argv.slice(2))
    if (!selection.isHelp) return selection
    console.log(USAGE)
    process.exit()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${USAGE}`)
    process.exit(1)
  }
}

function onSignal(act: (signal: Signal) => void): void {
  for (const signal of SIGNALS) process.on(signal, act)
}

function exitCodeOf(signal: Signal): number {
  return 128 + constants.signals[signal]
}

process.chdir(join(import.meta.dirname, '..'))
const selection = readArguments()
let stoppedBy: Signal | undefined
// Before the folder is made, because a signal without a listener would leave it behind.
onSignal((signal) => {
  stoppedBy = signal
})
const folder = makeTemporaryFolder()
process.env.TMPDIR = folder.path
// A run with --watch has no end, and would have chosen every port at some time.
if (!selection.isWatching) process.env.TEST_PORTS = mkdtempSync(join(folder.path, 'ports-'))
// With code from the cache, V8's coverage would be less precise.
if (!process.env.NODE_V8_COVERAGE) process.env.NODE_COMPILE_CACHE = join(process.cwd(), 'node_modules/.cache/compiled')
if (selection.isLong) setLongRun(selection.files, selection.orderSeed)
try {
  process.exitCode = await prepareAndRun(selection)
} finally {
  folder.remove()
}
