import { createReport, type Report } from './report.ts'

/** What one run of an import knows so far. */
export class Progress {
  report: Report = createReport()
  /** Ids of every user of the source. */
  sourceUserIds = new Set<string>()
  /** Ids of the users that came, in this run or in an earlier one. */
  userIds = new Set<string>()
  /** Unique values that came in this run: the source may have one of them twice. */
  emails = new Set<string>()
  slugs = new Set<string>()
  credentialIds = new Set<string>()
  apiKeyHashes = new Set<string>()
}
