/** A picture of a few hundred bytes can have a billion pixels, and hangs every browser that shows it. */
export const PICTURE_SIDE_MAXIMUM = 512

const DATA_URL = /^data:image\/(?:jpeg|png);base64,/
const PNG_BEGINNING = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'
const JPEG_BEGINNING = '\xff\xd8'
/** Segments that begin a frame, with its size: C0 to CF without the three of other tables (ITU-T T.81, table B.1). */
const BEGINS_FRAME = /^\xff[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]/
/** Segments with tables and other data, which may precede the frame. */
const PRECEDES_FRAME = /^\xff[\xc4\xcc\xdb\xdd\xe0-\xef\xfe]/

export function isSmallPicture(text: string): boolean {
  const bytes = DATA_URL.test(text) ? decode(text.slice(text.indexOf(',') + 1)) : ''
  const [width = 0, height = 0] = readPngSize(bytes) ?? readJpegSize(bytes) ?? []
  return isSmall(width) && isSmall(height)
}

function isSmall(side: number): boolean {
  return side > 0 && side <= PICTURE_SIDE_MAXIMUM
}

/** @returns a character for each byte; an empty text when it is no base64 */
function decode(base64: string): string {
  try {
    return atob(base64)
  } catch {
    return ''
  }
}

function readPngSize(bytes: string): [number, number] | undefined {
  if (!bytes.startsWith(PNG_BEGINNING)) return undefined
  return [readNumber(bytes, 16, 4), readNumber(bytes, 20, 4)]
}

/** Decoders use the first frame. A second picture is refused: Chromium decodes it as a gain map, at its own size. */
function readJpegSize(bytes: string): [number, number] | undefined {
  if (bytes.lastIndexOf(JPEG_BEGINNING) !== 0) return undefined
  let at = JPEG_BEGINNING.length
  while (PRECEDES_FRAME.test(bytes.slice(at, at + 2))) at += 2 + readNumber(bytes, at + 2, 2)
  if (!BEGINS_FRAME.test(bytes.slice(at, at + 2))) return undefined
  return [readNumber(bytes, at + 7, 2), readNumber(bytes, at + 5, 2)]
}

/** Most significant byte first; NaN at the end of the bytes. */
function readNumber(bytes: string, at: number, byteCount: number): number {
  let number = 0
  for (let index = at; index < at + byteCount; index += 1) number = number * 256 + bytes.charCodeAt(index)
  return number
}
