import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder, and the processes that work on it. Both are gone when it is closed, by Ctrl-C too. */
export interface Workplace {
  folder: string
  /** The process is killed, at the latest, when the workplace closes. */
  owns<T extends ChildProcess>(child: T): T
  close(): void
}

export function openWorkplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-bench-'))
  const children = new Set<ChildProcess>()

  function close(): void {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      close()
      process.exit(code)
    })
  }

  return {
    folder,
    owns(child) {
      children.add(child)
      child.once('exit', () => children.delete(child))
      return child
    },
    close,
  }
}
