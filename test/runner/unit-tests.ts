import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Modules that start a service, a PostgreSQL or a browser, or run such tests. */
const HEAVY_MODULES = [
  ...['service', 'process', 'postgres', 'browser'].map((name) => `test/support/${name}.ts`),
  'test/docs/example-endpoint.test.ts',
]
const RELATIVE_IMPORT = /(?:from|import\() ?'(\.[^']+\.tsx?)'/g

/** Whether a test file imports no heavy module, not even through other files. Paths are relative to the root. */
export function isUnitTest(file: string, seen = new Set<string>()): boolean {
  if (HEAVY_MODULES.includes(file)) return false
  if (seen.has(file)) return true
  seen.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(RELATIVE_IMPORT)
  return imports.every(([, path = '']) => isUnitTest(join(dirname(file), path), seen))
}
