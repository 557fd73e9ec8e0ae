import { Type } from 'typebox'
import { PICTURE_LENGTH_MAXIMUM } from './field-limits.ts'

/**
 * Other users see the image. So its URL must not be one that a browser runs, such as javascript:, and must contain no
 * user name or password.
 */
export const Picture = Type.String({
  maxLength: PICTURE_LENGTH_MAXIMUM,
  format: 'uri',
  pattern: '^(?:https?://[^/?#@]*(?:[/?#]|$)|data:image/)',
  description: 'the address of a picture: https:// or http:// without user name and password, or data:image/',
})
export const NullablePicture = Type.Unsafe<string | null>({ ...Picture, type: ['string', 'null'] })
