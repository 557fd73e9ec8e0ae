import type { TestsStream } from 'node:test'
import { onFileEnd } from './running-files.ts'

/** The larger numbers of a long run. A variable that is already set does not change. */
const SETTINGS = {
  KILL_ROUNDS: '200',
  ROUNDS: '400',
  CHANGED_BYTE_DISTANCE: '1',
  FAILOVER_ROUNDS: '40',
  STOP_MILLISECONDS: '30000',
  ALL_WIDTHS: 'true',
  MIGRATED_SESSIONS: '300000',
}

/** Sets the variables of a long run for its test files, and prints them with the seed of the order of the tests. */
export function setLongRun(files: string[], orderSeed: number | undefined): void {
  Object.assign(process.env, { ...SETTINGS, ...process.env })
  const settings = Object.keys(SETTINGS).map((name) => `${name}=${process.env[name]}`)
  console.log(['Long run:', `--order-seed ${orderSeed}`, ...settings, ...files].join('\n  '))
}

export function printFileEnds(events: TestsStream): void {
  onFileEnd(events, (file, seconds) => console.log(`${file} ended after ${Math.round(seconds)} s`))
}
