// The start command with short waits, for tests of its timeouts.
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { start, WAITS } from '../../server/commands/start.ts'
import { readConfig } from '../../server/platform/config/config.ts'

const config = readConfig(process.env)
const log = pino({ level: config.logLevel }, pino.destination(2))
try {
  await start(
    config,
    { now: Date.now, randomBytes, log },
    {
      ...WAITS,
      graceMilliseconds: 300,
      heartbeatMilliseconds: 300,
      firstPauseMilliseconds: 10,
      stopMilliseconds: 1_500,
    },
  )
} catch (error) {
  console.error(error instanceof Error ? `${error.message}` : error)
  process.exitCode = 1
}
