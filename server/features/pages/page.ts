import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorCode } from '../../platform/http/errors.ts'

/** The one document that all pages are; undefined until the pages are built. */
export type PageDocument = (errorCode?: ErrorCode) => string | undefined

/** @param folder that Vite built into */
export function readPageDocument(folder: string): PageDocument {
  const html = readIfBuilt(join(folder, 'index.html'))
  // The document reads the code and says it in words of its own; a code is never anything that a request brought.
  return (errorCode) => (errorCode ? html?.replace('<html', `<html data-error="${errorCode}"`) : html)
}

function readIfBuilt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
