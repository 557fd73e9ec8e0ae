import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const readPackages = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined)

/**
 * Whether node_modules holds what package-lock.json asks for. npm keeps a list of what it installed there; it is
 * compared by content, because git and npm write both files in no dependable order of time.
 */
export function packagesAreCurrent(root) {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (!wanted || !installed || !existsSync(join(root, 'node_modules/.bin/node'))) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    // An optional package is made for another platform when npm left it out.
    if (!installed[path]) return entry.optional === true
    return installed[path].version === entry.version && installed[path].integrity === entry.integrity
  })
}
