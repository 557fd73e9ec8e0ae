import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { withoutPassword } from './without-password.ts'

export interface ImageFile {
  content: Buffer
  contentType: 'image/svg+xml' | 'image/png'
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

const COMMENT = '<!--(?:(?!-->).)*-->'
/** Some programs declare entities in it, between brackets. */
const DOCUMENT_TYPE = '<!DOCTYPE\\s+svg[^>[]*(?:\\[[^\\]]*\\]\\s*)?>'
const SVG_BEGINNING = new RegExp(
  `^\uFEFF?\\s*(?:<\\?xml[^>]*>\\s*)?(?:(?:${COMMENT}|${DOCUMENT_TYPE})\\s*)*<svg[\\s>]`,
  's',
)

/** The content decides about the type, because browsers do not guess it. */
export function readImage(
  setting: string,
  path: string,
  bytesMaximum: number,
  problems: string[],
): ImageFile | undefined {
  const named = `${setting} names ${withoutPassword(path)}, which`
  const content = readIfPossible(path)
  const contentType = content && typeOf(content.subarray(0, bytesMaximum))
  if (!content)
    problems.push(
      `${named} can't be read: check that ${withoutPassword(resolve(path))} is a file that the service may read.`,
    )
  else if (!contentType) problems.push(`${named} is neither an SVG nor a PNG: save the picture as one of them.`)
  else if (content.length > bytesMaximum)
    problems.push(`${named} has more than ${bytesMaximum / 1024} KiB: choose a smaller picture.`)
  else return { content, contentType }
  return undefined
}

function readIfPossible(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function typeOf(content: Buffer): ImageFile['contentType'] | undefined {
  if (content.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return 'image/png'
  return SVG_BEGINNING.test(content.toString()) ? 'image/svg+xml' : undefined
}
