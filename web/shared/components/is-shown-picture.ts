/** A picture on another site is not loaded, because a request would tell that site who views the page. */
export function isShownPicture(image: string | null | undefined): image is string {
  return image?.startsWith('data:image/') === true
}
