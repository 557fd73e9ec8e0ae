import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder and its processes. The end of this process deletes the folder and kills the processes. */
export interface Workplace {
  folder: string
  /** Registers a process, which is killed when this process ends. */
  owns<T extends ChildProcess>(child: T): T
}

export function openWorkplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-bench-'))
  const children = new Set<ChildProcess>()

  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  // Without a listener, a signal would end the process without an "exit".
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }

  return {
    folder,
    owns(child) {
      children.add(child)
      child.once('exit', () => children.delete(child))
      return child
    },
  }
}
