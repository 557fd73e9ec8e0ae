import { statSync } from 'node:fs'
import { GROUP_AND_OTHERS } from './file-mode.ts'

const GROUP_WRITE_AND_OTHERS = 0o027
const OTHERS_WRITE = 0o002

/** The service may read a file of another owner through its group, which must not write the file. */
export function findExposureProblem(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  // Windows has no users in the mode of a file.
  if (file === undefined || process.getuid === undefined) return undefined
  const isOwner = file.uid === process.getuid()
  if ((file.mode & (isOwner ? GROUP_AND_OTHERS : GROUP_WRITE_AND_OTHERS)) === 0) return undefined
  const command = isOwner ? 'chmod 600' : 'chmod g-w,o-rwx'
  return `other users can read or change the file ${path}: run ${command} ${path}`
}

/** The group may write: many systems give each user a group of its own. */
export function findOpenFolderProblem(folder: string): string | undefined {
  if (process.getuid === undefined || (statSync(folder).mode & OTHERS_WRITE) === 0) return undefined
  return `other users can write to the folder ${folder}, and so read or replace the database: run chmod o-w ${folder}, or use a folder in it that belongs to the service`
}
