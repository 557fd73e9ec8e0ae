import { isSmallPicture } from '../../../server/platform/http/small-picture.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

type MonogramProps = { name: string; image?: string | null | undefined }

export function Monogram({ name, image }: MonogramProps) {
  if (isShownPicture(image)) return <img className="monogram-picture" src={image} alt="" />
  // A grapheme may be several code points: a flag, a family, a letter with an accent.
  const [first] = graphemes.segment(name.trim())
  return (
    <span className="monogram" aria-hidden="true">
      {first?.segment.toUpperCase()}
    </span>
  )
}

/**
 * A picture on another site is not loaded, because a request would tell that site who views the page. Earlier versions
 * stored pictures of every type and size.
 */
function isShownPicture(image: string | null | undefined): image is string {
  return image != null && isSmallPicture(image)
}
