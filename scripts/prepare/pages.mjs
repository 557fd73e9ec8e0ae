import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Vite empties web/dist first, so an interrupted build leaves no stamp and runs again.
const stampPath = (root) => join(root, 'web/dist/.sources')

function* filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1))
  for (const entry of entries) {
    if (entry.name === 'dist' || entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else yield path
  }
}

/** Files of the server that the pages run too. */
export const SERVER_SOURCES = [
  'server/core/credentials/password-pattern.ts',
  'server/core/credentials/personal-words.ts',
  'server/core/field-limits.ts',
  'server/platform/http/small-picture.ts',
  'server/platform/http/user-agent.ts',
  'server/platform/time/format-time.ts',
]

/** SHA-256 of all sources of the built pages. */
export function hashOfSources(root) {
  const hash = createHash('sha256')
  const files = ['package-lock.json', ...SERVER_SOURCES].map((file) => join(root, file))
  for (const path of [...files, ...filesBelow(join(root, 'web'))]) {
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

export function storePagesHash(root, hash) {
  writeFileSync(stampPath(root), hash)
}
