import { execFile } from 'node:child_process'
import { cp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { createTemporaryFolder } from './temporary-folder.ts'

const runFile = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
/** The other version uses the packages and the built pages of this version. */
const LINKED = ['node_modules', 'web']

/** @returns the main file of a commit; undefined in a clone without it */
export async function checkOutVersion(t: TestContext, commit: string): Promise<string | undefined> {
  const isKnown = await runFile('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  )
  if (!isKnown) return undefined
  const folder = await makeFolder(t)
  const archive = join(folder, 'server.tar')
  await runFile('git', ['archive', '--output', archive, commit, 'server', 'package.json'], { cwd: ROOT })
  await runFile('tar', ['-xf', archive, '-C', folder])
  // Versions before main.mjs started with this file.
  return join(folder, 'server/main.ts')
}

/** @param migrations source text by name @returns the main file of a copy of this version with more migrations */
export async function copyWithMigrations(t: TestContext, migrations: Record<string, string>): Promise<string> {
  const folder = await makeFolder(t)
  for (const name of ['server', 'package.json']) await cp(join(ROOT, name), join(folder, name), { recursive: true })
  for (const [name, source] of Object.entries(migrations))
    await writeFile(join(folder, `server/platform/database/migrations/${name}.ts`), source, { flag: 'wx' })
  return join(folder, 'server/main.mjs')
}

async function makeFolder(t: TestContext): Promise<string> {
  const folder = createTemporaryFolder(t)
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
  return folder
}
