import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type Encoding, FixedResponse } from '../../platform/http/fixed-response.ts'

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** The build writes the compressed content of an asset beside it. */
const SUFFIXES: Record<Encoding, string> = { br: '.br', gzip: '.gz' }
/** The name of a file contains the hash of its content, so the file never changes. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable'

/** Empty before the build. */
export function readAssets(pagesFolder: string): Map<string, FixedResponse> {
  const folder = join(pagesFolder, 'assets')
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder).filter((name) => !Object.values(SUFFIXES).includes(extname(name)))
  return new Map(names.map((name) => [name, readAsset(folder, name)]))
}

function readAsset(folder: string, name: string): FixedResponse {
  const headers = {
    'content-type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
    'cache-control': CACHE_CONTROL,
  }
  const path = join(folder, name)
  return new FixedResponse(readFileSync(path), headers, readCompressed(path))
}

/** Empty for an asset of an older build. */
function readCompressed(path: string): [Encoding, Buffer][] {
  const encodings = Object.entries(SUFFIXES) as [Encoding, string][]
  return encodings.flatMap(([encoding, suffix]) =>
    existsSync(path + suffix) ? [[encoding, readFileSync(path + suffix)]] : [],
  )
}
