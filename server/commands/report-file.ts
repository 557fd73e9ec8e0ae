import { type FileHandle, open, rm } from 'node:fs/promises'
import { formatFindings, type Report } from '../features/import/report.ts'
import { CommandError } from './command.ts'

/**
 * Creates the file before the import, so that a file that can't be written is known early. Without a report, it is deleted.
 * @param what 'import' or 'dry run'
 * @param run prints the summary, which must not depend on the file
 */
export async function withReportFile(path: string, what: string, run: () => Promise<Report>): Promise<void> {
  const file = await createReportFile(path)
  try {
    const report = await run()
    await writeReport(file, what, report)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Never replaces a file, which could be the source. Ids are personal data, so only the operator reads them. */
async function createReportFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(
      code === 'EEXIST'
        ? `${path} exists already. Choose another name for the report, or delete it.`
        : `The report can't be written: ${message}. Choose a folder that exists and can be written.`,
    )
  }
}

/** The rows are committed: an error of the disk must not look like one of the import. */
async function writeReport(file: FileHandle, what: string, report: Report): Promise<void> {
  try {
    await file.writeFile(formatFindings(report))
    await file.sync()
  } catch (cause) {
    throw new CommandError(
      `The ${what} is complete, but the report can't be written: ${(cause as Error).message}. A dry run lists again what did not come.`,
      { cause },
    )
  }
}
