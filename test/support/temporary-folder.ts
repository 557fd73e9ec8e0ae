import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A folder that is deleted after the test. */
export function createTemporaryFolder(t: TestContext): string {
  const { path, remove } = createFolder()
  t.after(remove)
  return path
}

/** A folder that the caller removes. The service reads the file .env of its folder: this one has none. */
export function createFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'accounts-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
