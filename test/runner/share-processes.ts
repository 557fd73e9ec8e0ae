import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Loading the service takes a second of CPU time, which is half the time of a short test file. */
const FILES_PER_PROCESS = 10
/** The tests of these folders call a service in their own process. Other tests start processes, servers or browsers. */
const SHARING_FOLDERS = [
  'server/core',
  'server/features',
  'server/platform',
  'test/access',
  'test/client',
  'test/journeys',
]
/** In a shared process, this hook would run around the tests of all its files. */
const HOOK_OF_FILE = /^(?:before|after)(?:Each)?\(/m

/** One process of the run: a test file, or a file that imports several test files. */
export interface TestProcess {
  entry: string
  files: string[]
}

/**
 * Lets test files share processes. The order stays, except that a file moves up to the first file of its process.
 * @param folder for the files that import others
 */
export function shareProcesses(files: string[], folder: string): TestProcess[] {
  const sharing = files.filter(canShare)
  const processCount = Math.ceil(sharing.length / FILES_PER_PROCESS)
  const shared = Array.from({ length: processCount }, (_, index) =>
    importAll(
      sharing.filter((_file, position) => position % processCount === index),
      join(folder, `shared-${index + 1}.test.ts`),
    ),
  )
  const alone = files.filter((file) => !sharing.includes(file)).map((file) => ({ entry: file, files: [file] }))
  return [...alone, ...shared].sort(
    (one, other) => files.indexOf(one.files[0] ?? '') - files.indexOf(other.files[0] ?? ''),
  )
}

function canShare(file: string): boolean {
  const isInSharingFolder = SHARING_FOLDERS.some((folder) => file.startsWith(`${folder}/`))
  return isInSharingFolder && !HOOK_OF_FILE.test(readFileSync(file, 'utf8'))
}

function importAll(files: string[], entry: string): TestProcess {
  writeFileSync(entry, files.map((file) => `import '${pathToFileURL(resolve(file))}'\n`).join(''))
  return { entry, files }
}
