import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A folder that is deleted after the test. */
export function createTemporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
