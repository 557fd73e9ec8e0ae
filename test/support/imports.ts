import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface Import {
  from: string
  to: string
  isType: boolean
}

const root = join(import.meta.dirname, '../..')
const STATEMENT = /(?:^(?:import|export)( type)?\b[^'"=]*|\bimport\()['"](\.[^'"]+)['"]/gm

/** The relative imports of the files that match a pattern, tests left out. Paths start at the root of the project. */
export function listImports(pattern: string): Import[] {
  const files = globSync(pattern, { cwd: root, exclude: ['**/*.test.ts', 'web/dist/**'] })
  return files.flatMap((from) =>
    [...readFileSync(join(root, from), 'utf8').matchAll(STATEMENT)].map(([, type, path = '']) => ({
      from,
      to: normalize(join(dirname(from), path)),
      isType: type !== undefined,
    })),
  )
}

export function assertNoCircle(imports: Import[], folderOf: (file: string) => string): void {
  const byFolder = Map.groupBy(imports, ({ from }) => folderOf(from))
  const done = new Set<string>()
  const follow = (folder: string, path: string[]): void => {
    assert.ok(!path.includes(folder), `a circle: ${[...path, folder].join(' → ')}`)
    const targets = new Set((byFolder.get(folder) ?? []).map(({ to }) => folderOf(to)))
    for (const target of targets) if (target !== folder && !done.has(target)) follow(target, [...path, folder])
    done.add(folder)
  }
  for (const folder of byFolder.keys()) follow(folder, [])
}
