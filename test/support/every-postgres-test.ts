import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { withoutTemplates } from './ready-database.ts'

const runFile = promisify(execFile)

/** Every suite of routes on each database, the contract of databases, and two processes. */
const FILES = [
  ...globSync(['server/**/*.test.ts', 'test/{access,client,journeys,openid}/**/*.test.ts']).filter((file) =>
    readFileSync(file, 'utf8').includes('onEachDatabase('),
  ),
  'server/platform/database/contract.test.ts',
  'test/journeys/two-processes.test.ts',
]
const TWO_PROCESSES = 'two processes on one PostgreSQL'
/** The suites on PostgreSQL, and the tests of two processes. Tests on SQLite may also name PostgreSQL. */
const NAMES = `\\(postgres\\)|${TWO_PROCESSES}`
const PASSED_MINIMUM = 1_000
const OUTPUT_BYTES_MAXIMUM = 64 * 1024 * 1024

/**
 * @param adminUrl of another PostgreSQL, or of a pooler
 * @throws Error with the output when a test fails; AssertionError when the tests did not run
 */
export async function runEveryPostgresTest(adminUrl: string): Promise<void> {
  // With this variable, the runner in the new process would report to the runner of this process.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const env = { ...withoutTemplates(environment), TEST_POSTGRES_URL: adminUrl }
  const options = [
    '--test-reporter=spec',
    `--test-concurrency=${availableParallelism() + 1}`,
    `--test-name-pattern=${NAMES}`,
  ]
  const { stdout: report } = await runFile(process.execPath, ['--test', ...options, ...FILES], {
    env,
    maxBuffer: OUTPUT_BYTES_MAXIMUM,
  }).catch((error) => {
    throw new Error(error.stdout)
  })
  assertTestsRan(report)
}

/** The exit code is 0 also when no test has such a name. */
function assertTestsRan(report: string): void {
  const passed = Number(/ℹ pass (\d+)/.exec(report)?.[1])
  assert.ok(passed >= PASSED_MINIMUM, `${passed} tests passed, fewer than ${PASSED_MINIMUM}`)
  for (const name of ['A change in one of', 'CVE-2024-4629:'])
    assert.match(report, new RegExp(`✔ ${name} ${TWO_PROCESSES}`), `the test "${name} ${TWO_PROCESSES}" did not pass`)
}
