import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { selectTests } from './select-tests.ts'
import { shareProcesses } from './share-processes.ts'

test('shareProcesses runs every test file in exactly one process, and imports what a process shares', async (t) => {
  const folder = createTemporaryFolder(t)
  const { files } = selectTests([])
  const processes = shareProcesses(files, folder)
  assert.deepEqual(processes.flatMap((process) => process.files).sort(), [...files].sort())
  assert.equal(processes[0]?.entry, 'test/faults/kill-loop.test.ts')
  const longest = 'test/browser/every-page.test.ts'
  assert.deepEqual(processes.find((process) => process.files.includes(longest))?.entry, longest)
  const shared = processes.find((process) => process.files.length > 1)
  const imports = await readFile(shared?.entry ?? '', 'utf8')
  for (const file of shared?.files ?? []) assert.ok(imports.includes(file), file)
})
