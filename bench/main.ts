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
import { measureSignIn } from './sign-in.ts'
import { measureToken } from './token.ts'
import { openWorkplace } from './workplace.ts'

const MEASUREMENTS: Record<string, (bench: Bench) => Promise<Finding[]>> = {
  'get-session': measureGetSession,
  token: measureToken,
  'sign-in': measureSignIn,
  flood: measureFlood,
  footprint: measureFootprint,
  'list-users': measureListUsers,
  'list-users-postgres': measureListUsersOnPostgres,
  // Last: it bans some of the people that the others measure with.
  enumeration: measureEnumeration,
}

const USAGE = `Usage: npm run bench -- [options]

Measures the service against Better Auth and against the machine's own limits, and prints the ratios beside their bars.
Nothing else should be at work on the machine; ratios of one run are to be trusted, figures of two runs are not to be compared.

  --only NAME,…   measure these alone: ${Object.keys(MEASUREMENTS).join(', ')}
  --quick         once each and briefly: to see that it works, not to be believed
  --json FILE     write the findings to a file as well
  --help          show this`

class UsageError extends Error {}

await main().catch((error: unknown) => {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error)
  process.exit(1)
})

async function main(): Promise<void> {
  const { help, quick, json, names } = readArguments()
  if (help) return console.log(USAGE)
  const watch = watchMachine()
  const bench = createBench(openWorkplace(), watch, quick ? QUICK_PACE : FULL_PACE)
  const findings: Finding[] = []
  for (const name of names) findings.push(...(await measure(name, bench)))
  const machine = watch.describe()
  console.log(`${machine}\n\n${showFindings(findings)}`)
  const judged = findings.map((finding) => ({ ...finding, reached: isReached(finding) }))
  if (json) writeFileSync(json, `${JSON.stringify({ machine, quick, findings: judged }, null, 2)}\n`)
  // Servers of a measurement that failed may still be running; they go with this process.
  process.exit()
}

/** One that fails leaves the others their place in the table. */
async function measure(name: string, bench: Bench): Promise<Finding[]> {
  try {
    await bench.look()
    return await MEASUREMENTS[name]!(bench)
  } catch (error) {
    console.error(`${name} could not be measured:`, error)
    process.exitCode = 1
    return []
  }
}

function readArguments(): { help: boolean; quick: boolean; json: string | undefined; names: string[] } {
  const { values } = parse()
  const names = values.only?.split(',') ?? Object.keys(MEASUREMENTS)
  const unknown = names.filter((name) => !(name in MEASUREMENTS))
  if (unknown.length > 0) throw new UsageError(`There is no measurement ${unknown.join(', ')}.`)
  return { help: values.help, quick: values.quick, json: values.json, names }
}

function parse() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
