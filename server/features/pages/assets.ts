import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { FixedAnswer } from '../../platform/http/fixed-answer.ts'

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** The name of a file contains the hash of its content, so the file never changes. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable'

/** The scripts, styles and pictures of the pages by name. Empty before the build. */
export function readAssets(pagesFolder: string): Map<string, FixedAnswer> {
  const folder = join(pagesFolder, 'assets')
  if (!existsSync(folder)) return new Map()
  return new Map(readdirSync(folder).map((name) => [name, readAsset(folder, name)]))
}

function readAsset(folder: string, name: string): FixedAnswer {
  return new FixedAnswer(readFileSync(join(folder, name)), {
    'content-type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
    'cache-control': CACHE_CONTROL,
  })
}
