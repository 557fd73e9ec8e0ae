import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY_FOLDER = '/dev/shm'
const BYTES_MINIMUM = 4 * 1024 ** 3

/**
 * Makes a folder for everything that the tests write. With enough memory on Linux, the folder is in memory. A commit
 * waits 6 ms for a disk, and the tests commit tens of thousands of times.
 */
export function makeTemporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(hasMemoryFolder() ? MEMORY_FOLDER : tmpdir(), 'accounts-tests-'))
  // PostgreSQL runs as another user when root runs the tests.
  chmodSync(path, 0o755)
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) }
}

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= BYTES_MINIMUM
  } catch {
    return false
  }
}
