import { isSmallPicture } from '../../../server/platform/http/small-picture.ts'

/**
 * A picture on another site is not loaded, because a request would tell that site who views the page. Earlier versions
 * stored pictures of every type and size.
 */
export function isShownPicture(image: string | null | undefined): image is string {
  return image != null && isSmallPicture(image)
}
