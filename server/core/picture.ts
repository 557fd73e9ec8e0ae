import { Type } from 'typebox'
import { PICTURE_SIDE_MAXIMUM } from '../platform/http/small-picture.ts'
import { PICTURE_LENGTH_MAXIMUM } from './field-limits.ts'

/** Other users see the image, so its URL must not be one that a browser runs (javascript:) or has a password. */
export const Picture = Type.Unsafe<string>({
  type: 'string',
  maxLength: PICTURE_LENGTH_MAXIMUM,
  anyOf: [{ format: 'uri', pattern: '^https?://[^/?#@]*(?:[/?#]|$)' }, { format: 'small-picture' }],
  description: `the address of a picture: https:// or http:// without user name and password, or data: with a JPEG or PNG of at most ${PICTURE_SIDE_MAXIMUM} × ${PICTURE_SIDE_MAXIMUM} pixels`,
})
export const NullablePicture = Type.Unsafe<string | null>({ ...Picture, type: ['string', 'null'] })
