import { createReport, type ImportReport } from './report.ts'

export class Progress {
  report: ImportReport = createReport()
  sourceUserIds = new Set<string>()
  /** Ids of the users that this run or an earlier one has imported. */
  userIds = new Set<string>()
  /** Unique values that this run has imported, because the source may have one of them twice. */
  emails = new Set<string>()
  slugs = new Set<string>()
  credentialIds = new Set<string>()
  apiKeyHashes = new Set<string>()
}
