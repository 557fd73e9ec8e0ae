import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorCode } from '../../platform/http/errors.ts'

/** The HTML document of all pages, or undefined before the build. */
export type PageDocument = (errorCode?: ErrorCode) => string | undefined

/** @param folder the output of Vite */
export function readPageDocument(folder: string): PageDocument {
  const html = readIfBuilt(join(folder, 'index.html'))
  // Reflection: the code is one of the closed list, never text from the request.
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
