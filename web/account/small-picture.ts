import { PICTURE_LENGTH_MAXIMUM } from '../../server/core/field-limits.ts'

const SIDES_IN_PIXELS = [96, 80, 64, 48]
const QUALITIES = [0.8, 0.6, 0.4]

/** The square middle of a picture as a `data:` URL. @throws when the browser can’t read the file as a picture */
export async function smallPicture(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file)
  for (const side of SIDES_IN_PIXELS) {
    const canvas = drawSquare(bitmap, side)
    for (const quality of QUALITIES) {
      const text = canvas.toDataURL('image/jpeg', quality)
      if (text.length <= PICTURE_LENGTH_MAXIMUM) return text
    }
  }
  throw new Error('The smallest version is too large')
}

function drawSquare(bitmap: ImageBitmap, side: number): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side })
  const context = canvas.getContext('2d')!
  const length = Math.min(bitmap.width, bitmap.height)
  const left = (bitmap.width - length) / 2
  const top = (bitmap.height - length) / 2
  // JPEG has no transparency: transparent pixels would turn black.
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, side, side)
  context.drawImage(bitmap, left, top, length, length, 0, 0, side, side)
  return canvas
}
