const LINES_MAXIMUM = 20

/** What the services of this process logged as errors last. */
const lines: string[] = []

/** A test that fails only now and then often got a 503. The log names its cause, and the response does not. */
process.once('exit', (exitCode) => {
  if (exitCode !== 0 && lines.length > 0)
    process.stderr.write(`The last errors in the log of services whose tests failed:\n${lines.join('')}`)
})

/** Remembers a line of a log, and prints it at the end of the process if a test has failed. */
export function rememberError(line: string): void {
  lines.push(line)
  if (lines.length > LINES_MAXIMUM) lines.shift()
}
