import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const readPackages = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined)

/**
 * Whether node_modules contains the packages of package-lock.json. Compares npm's list of installed packages by content,
 * because the modification times of the two files have no reliable order.
 */
export function packagesAreCurrent(root) {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (!wanted || !installed || !existsSync(join(root, 'node_modules/.bin/node'))) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    // npm leaves out optional packages of other platforms.
    if (!installed[path]) return entry.optional === true
    return installed[path].version === entry.version && installed[path].integrity === entry.integrity
  })
}
