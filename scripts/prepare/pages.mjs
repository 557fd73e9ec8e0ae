import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Vite empties web/dist first, so a build that was cut short leaves no stamp and is made again.
const stampPath = (root) => join(root, 'web/dist/.sources')

function* filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    if (entry.name === 'dist' || entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else yield path
  }
}

/** SHA-256 over everything that the built pages depend on. */
export function hashOfSources(root) {
  const hash = createHash('sha256')
  for (const path of [join(root, 'package-lock.json'), ...filesBelow(join(root, 'web'))]) {
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0')
  }
  return hash.digest('hex')
}

export function pagesAreCurrent(root) {
  return existsSync(stampPath(root)) && readFileSync(stampPath(root), 'utf8') === hashOfSources(root)
}

export function rememberPages(root, hash) {
  writeFileSync(stampPath(root), hash)
}
