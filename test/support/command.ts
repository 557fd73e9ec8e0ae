import { mock } from 'node:test'
import { format } from 'node:util'
import { explain } from '../../server/commands/explain.ts'
import { runCommand } from '../../server/commands/run.ts'
import { createFolder } from './temporary-folder.ts'

export interface CommandResult {
  code: number
  output: string
  errors: string
}

/**
 * Runs a command in this process with only these settings, as a process of its own takes a second of CPU time. Its
 * folder has no .env, unless `prepareFolder` writes one.
 * `runAccounts` starts a process, for tests of the exit code, of streams and signals, and of the log.
 */
export async function runInProcess(
  words: string[],
  settings: Record<string, string>,
  prepareFolder: (path: string) => void = () => {},
): Promise<CommandResult> {
  const result = { code: 0, output: '', errors: '' }
  const { env } = process
  const projectFolder = process.cwd()
  const folder = createFolder()
  prepareFolder(folder.path)
  process.chdir(folder.path)
  process.env = { PATH: env.PATH, LOG_LEVEL: 'silent', ...settings }
  const mocks = [
    mock.method(console, 'log', (...values: unknown[]) => {
      result.output += `${format(...values)}\n`
    }),
    mock.method(console, 'error', (...values: unknown[]) => {
      result.errors += `${format(...values)}\n`
    }),
  ]
  try {
    await runCommand(words)
  } catch (error) {
    console.error(explain(error))
    result.code = 1
  } finally {
    for (const { mock } of mocks) mock.restore()
    process.env = env
    process.chdir(projectFolder)
    folder.remove()
  }
  return result
}
