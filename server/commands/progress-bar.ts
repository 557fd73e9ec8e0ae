const WIDTH = 32

/** Draws only on a terminal, not into a file. */
export function drawProgress(what: string, done: number, total: number): void {
  if (!process.stderr.isTTY) return
  const share = total === 0 ? 1 : Math.min(done / total, 1)
  const filled = Math.round(share * WIDTH)
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
  const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
  process.stderr.write(`\r${what} ${bar} ${Math.floor(share * 100)} % (${counts})${share === 1 ? '\n' : ''}`)
}
