import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_BRAND_NAME } from '../../platform/config/read-brand.ts'
import type { ErrorCode } from '../../platform/http/errors.ts'
import { html } from '../../platform/mail/html.ts'

/** Undefined before the build. */
export type PageDocument = (errorCode?: ErrorCode) => string | undefined

/** The default name as a whole text or attribute of the document. */
const DEFAULT_NAME_IN_MARKUP = new RegExp(`(?<=[">])${DEFAULT_BRAND_NAME}(?=["<])`, 'g')

export function readPageDocument(folder: string, brand: { name: string }): PageDocument {
  const brandName = html`${brand.name}`.toString()
  const document = readIfBuilt(join(folder, 'index.html'))?.replace(DEFAULT_NAME_IN_MARKUP, () => brandName)
  // No text of a request gets into the document: the code is from the closed list of error codes.
  return (errorCode) => (errorCode ? document?.replace('<html', `<html data-error="${errorCode}"`) : document)
}

function readIfBuilt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
