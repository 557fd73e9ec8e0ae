import { randomBytes } from 'node:crypto'
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { formatFindings, type ImportReport } from '../features/import/report.ts'
import { nameNewFile } from '../platform/files/name-new-file.ts'
import { CommandError } from './command.ts'

interface ReportFile {
  path: string
  temporaryPath: string
  file: FileHandle
}

/**
 * The temporary file shows before the import whether the folder can be written. The report gets its name at the end, so
 * that the command of a stopped import can be repeated.
 * @param print runs last, also after a failed write: it ends the command if the output has no reader
 */
export async function withReportFile(
  path: string,
  what: string,
  run: () => Promise<ImportReport>,
  print: (report: ImportReport) => void,
): Promise<void> {
  const reportFile = await createReportFile(path)
  try {
    const report = await run()
    await writeReport(reportFile, what, report).finally(() => print(report))
  } finally {
    await reportFile.file.close()
    await rm(reportFile.temporaryPath, { force: true })
  }
}

/** Never replaces a file, which could be the source. Ids are personal data, so only the operator reads them. */
async function createReportFile(path: string): Promise<ReportFile> {
  if (await exists(path))
    throw new CommandError(`${path} exists already. Choose another name for the report, or delete it.`)
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.partial`
  try {
    return { path, temporaryPath, file: await open(temporaryPath, 'wx', 0o600) }
  } catch (error) {
    throw new CommandError(
      `The report can't be written: ${(error as Error).message}. Choose a folder that exists and can be written.`,
    )
  }
}

/** Also true for a symbolic link without its file: the report must not replace it. */
function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** The rows are committed: an error of the disk must not look like one of the import. */
async function writeReport(
  { path, temporaryPath, file }: ReportFile,
  what: string,
  report: ImportReport,
): Promise<void> {
  try {
    await file.writeFile(formatFindings(report))
    await file.sync()
    nameNewFile(temporaryPath, path)
  } catch (cause) {
    throw new CommandError(
      `The ${what} is complete, but the report can't be written: ${(cause as Error).message}. A dry run lists again what was not imported.`,
      { cause },
    )
  }
}
