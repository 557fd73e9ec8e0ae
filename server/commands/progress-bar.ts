const WIDTH = 32
/** A terminal without a size says 0. */
const USUAL_COLUMNS = 80

let isUnfinished = false

/** Draws only on a terminal, not into a file. */
export function drawProgress(what: string, done: number, total: number): void {
  const { isTTY, columns } = process.stderr
  if (!isTTY) return
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  const counts = ` ${Math.floor(share * 100)} % (${done.toLocaleString('en')} of ${total.toLocaleString('en')})`
  // In a wrapped line, each update would begin a new line.
  const columnsMaximum = (columns || USUAL_COLUMNS) - 1
  const width = Math.max(Math.min(WIDTH, columnsMaximum - what.length - 1 - counts.length), 0)
  const filled = Math.round(share * width)
  const line = `${what} ${'█'.repeat(filled)}${'░'.repeat(width - filled)}${counts}`.slice(0, columnsMaximum)
  isUnfinished = share < 1
  process.stderr.write(`\r${line}${isUnfinished ? '' : '\n'}`)
}

/** Ends the line of a bar that has not reached its end, so that an error begins a new line. */
export function endProgress(): void {
  if (isUnfinished) process.stderr.write('\n')
  isUnfinished = false
}
