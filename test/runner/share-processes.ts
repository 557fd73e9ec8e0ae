import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Loading and starting the service takes two seconds of CPU time, which is half the time of a short test file. */
const SHARING = [
  // The tests of these folders call a service in their own process.
  {
    folders: [
      'server/core',
      'server/features',
      'server/platform',
      'test/access',
      'test/client',
      'test/journeys',
      'test/openid',
    ],
    filesPerProcess: 20,
  },
  // Many of these files start processes or servers, and wait for them.
  { folders: ['server/commands', 'test/docs', 'test/faults', 'test/scale'], filesPerProcess: 14 },
  // Files of pages take longer.
  { folders: ['test/browser'], filesPerProcess: 8 },
]
/** Other files in the process of such a file would end too late, or would change what it measures or mocks. */
const ALONE = [
  'server/commands/failed-forks.test.ts',
  'test/browser/every-page.test.ts',
  'test/docs/browser-services.test.ts',
  'test/docs/connect-a-service.test.ts',
  'test/faults/exact-caches.test.ts',
  'test/faults/flood.test.ts',
  'test/faults/frozen-database.test.ts',
  'test/faults/kill-loop.test.ts',
  'test/faults/lock-order.test.ts',
  'test/faults/postgres-outage.test.ts',
  'test/faults/process.test.ts',
  'test/faults/rotate-secret.test.ts',
  'test/faults/workers.test.ts',
]

/** The name of the first test of a shared process. Patterns for names must match it, too. */
export const LOADS_FILES = 'The files of a shared process are loaded'

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
  const groups = SHARING.flatMap(({ folders, filesPerProcess }) =>
    split(
      files.filter((file) => canShare(file, folders)),
      filesPerProcess,
    ),
  ).filter((group) => group.length > 1)
  const shared = groups.map((group, index) => importAll(group, join(folder, `shared-${index + 1}.test.ts`)))
  const sharing = new Set(groups.flat())
  const alone = files.filter((file) => !sharing.has(file)).map((file) => ({ entry: file, files: [file] }))
  return [...alone, ...shared].sort(
    (one, other) => files.indexOf(one.files[0] ?? '') - files.indexOf(other.files[0] ?? ''),
  )
}

/**
 * Spreads files over as few processes as possible. Neighbors in the list are similar, so they go to different
 * processes.
 */
function split(files: string[], filesPerProcess: number): string[][] {
  const processCount = Math.ceil(files.length / filesPerProcess)
  return Array.from({ length: processCount }, (_, index) =>
    files.filter((_file, position) => position % processCount === index),
  )
}

function canShare(file: string, folders: string[]): boolean {
  const isInFolder = folders.some((folder) => file.startsWith(`${folder}/`))
  return isInFolder && !ALONE.includes(file)
}

/**
 * Writes a file that imports others. Without its first test, a run with a pattern would end with the tests of one file,
 * before the next file is imported.
 */
export function importAll(files: string[], entry: string): TestProcess {
  const imports = files.map((file) => `await import('${pathToFileURL(resolve(file))}')`)
  const lines = [
    "import { test } from 'node:test'",
    'const loading = Promise.withResolvers()',
    `test('${LOADS_FILES}', () => loading.promise)`,
    ...imports,
    'loading.resolve()',
  ]
  writeFileSync(entry, `${lines.join('\n')}\n`)
  return { entry, files }
}
