import { randomInt } from 'node:crypto'
import { existsSync, globSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isUnitTest } from './unit-tests.ts'

export const USAGE = `Usage: npm test -- [options] [FILE, FOLDER or GLOB …] [TEXT …]

Files, folders and globs choose files. Any other text is a pattern for test names.

  --unit           leave out files that start a service, a PostgreSQL or a browser
  --watch          run a file again when it, or a file that it imports, changes
  --long           run the long files only, with many rounds, each in a random order
  --order-seed N   run the tests of each file in a random order, which the number repeats
  --help           print this text
`

/** Its message is printed with the usage, and without a stack. */
export class UsageError extends Error {}

export interface Selection {
  files: string[]
  namePatterns: string[]
  /** The tests of each file run in a random order that follows from this number; undefined: in the order of the file. */
  orderSeed: number | undefined
  isLong: boolean
  isWatching: boolean
  /** Only the usage is printed. */
  isHelp: boolean
}

const SEED_MAXIMUM = 999_999_999
const EVERYTHING = ['server', 'test', 'scripts', 'bench']
/** Files that run only in `npm run test:long` or by name: they take long, or need what some machines do not have. */
const ONLY_LONG_FILES = [
  'server/commands/import.test.ts',
  'test/docs/example-endpoint.test.ts',
  'test/faults/postgres-failover.test.ts',
  'test/faults/rolling-upgrade.test.ts',
  'test/faults/later-version.test.ts',
  'test/faults/killed-copies.test.ts',
  'test/faults/audit-backlog.test.ts',
  'test/faults/pgbouncer.test.ts',
  'test/faults/oldest-postgres.test.ts',
  'test/faults/full-disk-postgres.test.ts',
]
const LONG_FILES = [
  'test/faults/kill-loop.test.ts',
  'test/faults/lock-order.test.ts',
  'test/faults/postgres-outage.test.ts',
  'test/faults/exact-caches.test.ts',
  'test/faults/rotate-secret.test.ts',
  'server/features/account/passkeys/tampering.test.ts',
  'test/browser/every-page.test.ts',
  ...ONLY_LONG_FILES,
]
/** These files start first, in this order. If a slow file started last, the other cores would wait for it. */
const SLOW_FILES = [
  'test/faults/kill-loop.test.ts',
  'test/faults/workers.test.ts',
  'test/faults/postgres-outage.test.ts',
  'test/faults/lock-order.test.ts',
  'test/faults/process.test.ts',
  'test/faults/frozen-database.test.ts',
  'test/faults/rotate-secret.test.ts',
  'test/access/bad-input.test.ts',
  'server/features/account/passkeys/tampering.test.ts',
  'test/browser/every-page.test.ts',
]

/** @throws UsageError when a file does not exist, an option is unknown or a number is wrong */
export function selectTests(commandArguments: string[]): Selection {
  const { values, positionals } = parse(commandArguments)
  const { long: isLong, unit: isUnit, watch: isWatching, help: isHelp } = values
  const seedText = values['order-seed']
  if (seedText !== undefined && !/^\d{1,9}$/.test(seedText))
    throw new UsageError('--order-seed must be a whole number.')
  const chosenSeed = isLong ? randomInt(SEED_MAXIMUM) : undefined
  const orderSeed = seedText === undefined ? chosenSeed : Number(seedText)
  const places = positionals.filter(isPlace)
  const namePatterns = positionals.filter((text) => !isPlace(text))
  const found = places.length > 0 ? places.flatMap(listTests) : listAll(isLong)
  const files = found.filter((file) => !isUnit || isUnitTest(file)).sort(compareFiles)
  return { files, namePatterns, orderSeed, isLong, isWatching, isHelp }
}

function parse(commandArguments: string[]) {
  try {
    return parseArgs({
      args: commandArguments,
      options: {
        long: { type: 'boolean', default: false },
        unit: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        'order-seed': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function listAll(isLong: boolean): string[] {
  if (isLong) return LONG_FILES
  return EVERYTHING.flatMap(listTests).filter((file) => !ONLY_LONG_FILES.includes(file))
}

function isPlace(text: string): boolean {
  if (existsSync(text) || text.includes('*')) return true
  if (text.endsWith('.ts')) throw new UsageError(`There is no ${text}.`)
  return false
}

function listTests(place: string): string[] {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory()
  return globSync(isFolder ? `${place}/**/*.test.ts` : place)
}

function compareFiles(one: string, other: string): number {
  return rank(one) - rank(other) || one.localeCompare(other)
}

function rank(file: string): number {
  return SLOW_FILES.includes(file) ? SLOW_FILES.indexOf(file) : SLOW_FILES.length
}
