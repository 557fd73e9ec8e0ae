// npm run bench: see docs/performance.md
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Bench, createBench, FULL_PACE, QUICK_PACE } from './bench.ts'
import { measureEnumeration } from './enumeration.ts'
import { type Finding, isReached, showFindings } from './finding.ts'
import { measureFlood } from './flood.ts'
import { measureFootprint } from './footprint.ts'
import { measureGetSession } from './get-session.ts'
import { measureListUsers, measureListUsersOnPostgres } from './list-users/measure.ts'
import { watchMachine } from './machine.ts'
import { measureOpenIdToken } from './openid-token.ts'
import { measureBackground } from './scale/background.ts'
import { measureEndurance } from './scale/endurance.ts'
import { measureEndpoints } from './scale/measure-endpoints.ts'
import { SCALE_PARSE_OPTIONS, SCALE_USAGE, type ScaleOptions, toScaleOptions } from './scale/options.ts'
import { measureSignIn } from './sign-in.ts'
import { measureToken } from './token.ts'
import { measureWorkers } from './workers.ts'
import { openWorkplace } from './workplace.ts'

const MEASUREMENTS: Record<string, (bench: Bench) => Promise<Finding[]>> = {
  'get-session': (bench) => measureGetSession(bench, 'SQLite'),
  'get-session-postgres': (bench) => measureGetSession(bench, 'PostgreSQL'),
  token: (bench) => measureToken(bench, 'SQLite'),
  'token-postgres': (bench) => measureToken(bench, 'PostgreSQL'),
  'openid-token': measureOpenIdToken,
  'sign-in': (bench) => measureSignIn(bench, 'SQLite'),
  'sign-in-postgres': (bench) => measureSignIn(bench, 'PostgreSQL'),
  workers: measureWorkers,
  flood: measureFlood,
  footprint: measureFootprint,
  'list-users': measureListUsers,
  'list-users-postgres': measureListUsersOnPostgres,
  // The last one, because it bans users of the others. The large measurements have databases of their own.
  enumeration: measureEnumeration,
}

/** Run only when they are named: each takes up to an hour. */
const LARGE_MEASUREMENTS: typeof MEASUREMENTS = {
  scale: measureEndpoints,
  'scale-background': measureBackground,
  endurance: measureEndurance,
}
const ALL_MEASUREMENTS = { ...MEASUREMENTS, ...LARGE_MEASUREMENTS }

const USAGE = `Usage: npm run bench -- [options]

Compares the service with Better Auth and with the limits of the machine, and prints each ratio with its bar.
Run it on an idle machine. Ratios of one run are reliable. Values of two runs can't be compared.

  --only NAME,…   run these measurements only: ${Object.keys(MEASUREMENTS).join(', ')};
                  and by name only: ${Object.keys(LARGE_MEASUREMENTS).join(', ')}
  --quick         one short round each, to check that it works; the results are not reliable
  --json FILE     also write the findings to a file
  --help          print this text
${SCALE_USAGE}`

class UsageError extends Error {}

await main().catch((error: unknown) => {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error)
  process.exit(1)
})

async function main(): Promise<void> {
  const { help, quick, json, names, scale } = readArguments()
  if (help) return console.log(USAGE)
  const watch = watchMachine()
  const bench = createBench(openWorkplace(), watch, quick ? QUICK_PACE : FULL_PACE, scale)
  const findings: Finding[] = []
  for (const name of names) findings.push(...(await measure(name, bench)))
  const machine = watch.describe()
  console.log(`${machine}\n\n${showFindings(findings)}`)
  const withVerdicts = findings.map((finding) => ({ ...finding, reached: isReached(finding) }))
  if (json) writeFileSync(json, `${JSON.stringify({ machine, quick, findings: withVerdicts }, null, 2)}\n`)
  // The exit also kills servers of a failed measurement.
  process.exit()
}

/** A failed measurement does not stop the others. */
async function measure(name: string, bench: Bench): Promise<Finding[]> {
  try {
    await bench.measureOtherWork()
    return await ALL_MEASUREMENTS[name]!(bench)
  } catch (error) {
    console.error(`${name} could not be measured:`, error)
    process.exitCode = 1
    return []
  }
}

interface Arguments {
  help: boolean
  quick: boolean
  json: string | undefined
  names: string[]
  scale: ScaleOptions
}

function readArguments(): Arguments {
  const { values, scale } = parse()
  const chosen = values.only?.split(',') ?? Object.keys(MEASUREMENTS)
  const unknown = chosen.filter((name) => !Object.hasOwn(ALL_MEASUREMENTS, name))
  if (unknown.length > 0) throw new UsageError(`Unknown measurement: ${unknown.join(', ')}.`)
  const names = Object.keys(ALL_MEASUREMENTS).filter((name) => chosen.includes(name))
  return { help: values.help, quick: values.quick, json: values.json, names, scale }
}

function parse() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', default: false },
        ...SCALE_PARSE_OPTIONS,
      },
    })
    return { values, scale: toScaleOptions(values) }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
