import { pino } from 'pino'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'

/** Standard error: JSON for programs, and lines for a user at a terminal. */
export function createLog(level: Config['logLevel']): Runtime['log'] {
  if (!process.stderr.isTTY) return pino({ level }, pino.destination(2))
  return pino({ level }, { write: (line: string) => process.stderr.write(toReadableLine(line)) })
}

const LEVELS: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' }

/** `09:30:05 WARN  an email was not sent  emailId=let_1 attempts=2`, and the stack of an error below. */
export function toReadableLine(line: string): string {
  const { level, time, msg, err, pid: _pid, hostname: _hostname, ...fields } = JSON.parse(line)
  const clock = new Date(time).toLocaleTimeString('en-GB')
  const details = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`)
  const stack = err?.stack ? `\n${err.stack.replace(/[^\P{Cc}\n]/gu, '')}` : ''
  return `${clock} ${(LEVELS[level] ?? '').padEnd(5)} ${[msg, details.join(' ')].filter(Boolean).join('  ')}${stack}\n`
}

/** JSON escapes the control characters in a value, which could write over the lines of the terminal. */
function toText(value: unknown): string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value)
}
