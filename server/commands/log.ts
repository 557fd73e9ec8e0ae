import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { pino } from 'pino'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'
import { toOneLine } from '../platform/one-line.ts'

const STANDARD_ERROR = 2

/** JSON for programs, and readable lines for a user at a terminal. */
export function createLog(level: Config['logLevel']): Runtime['log'] {
  const isForUser = isatty(STANDARD_ERROR)
  return pino({ level }, { write: (line: string) => writeLine(isForUser ? toReadableLine(line) : line) })
}

/** Standard error may be on a full disk, or a pipe without a reader. The stream of pino would end the process. */
function writeLine(line: string): void {
  try {
    writeSync(STANDARD_ERROR, line)
  } catch {}
}

const LEVELS: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' }

/** `09:30:05 WARN  an email was not sent  emailId=eml_1 attempts=2`, and the stack of an error below. */
export function toReadableLine(line: string): string {
  const { level, time, msg, err, pid: _pid, hostname: _hostname, ...fields } = JSON.parse(line)
  const clock = new Date(time).toLocaleTimeString('en-GB')
  const details = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`)
  const stack = err?.stack ? `\n${err.stack.replace(/[^\P{Cc}\n]|\p{Cf}/gu, '')}` : ''
  return `${clock} ${(LEVELS[level] ?? '').padEnd(5)} ${[toOneLine(msg ?? ''), details.join(' ')].filter(Boolean).join('  ')}${stack}\n`
}

/** JSON escapes most control characters in a value, which could write over the lines of the terminal. */
function toText(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : toOneLine(JSON.stringify(value))
}
